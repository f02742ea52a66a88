import { escapeLine } from "../../lib/k8s/escape-terminal";
import type { ResourceName } from "../../lib/read/found";
import { documentedKinds, findFields, memberNames } from "../understand/explain/field-help";
import { patchTypes } from "../write/apply-patch";
import { scalableWords } from "../write/autoscale/hpa-of";
import { resourceOf } from "../shell/input/parse-targets";
import type { Argument, Command, Option } from "commander";

/** "cluster.spec.auth" for "cluster.spec.a"; the kinds for "". */
export function fieldPaths(current: string): readonly string[] {
  const all = [documentedKinds.hpa, documentedKinds.clusters, documentedKinds.sources];
  const [word, ...names] = current.split(".").slice(0, -1);
  if (word === undefined) return all.map((one) => one.word);
  const before = [word, ...names].join(".");
  const found = all.filter((one) => one.word === word).flatMap(({ document }) => findFields(document(), names));
  return memberNames(found).map((name) => `${before}.${name}`);
}

export interface Candidates {
  readonly values: readonly Candidate[];
  readonly files?: true;
}

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

export interface Lookup {
  names(
    what: ResourceName | "contexts" | "namespaces",
    given: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>;
}

export async function candidates(program: Command, words: readonly string[], lookup: Lookup): Promise<Candidates> {
  const current = words.at(-1) ?? "";
  const cursor = walk(program, words.slice(0, -1));
  const found = await at(cursor, current, lookup);
  const typed = flagWithValue.exec(current)?.[2] ?? current;
  return { ...found, values: found.values.filter(({ value }) => value.startsWith(typed)) };
}

/** The shells' scripts add the flag to the values of `--flag=v`. */
const flagWithValue = /^(--?[\w-]+)=(.*)$/s;

async function at(cursor: Cursor, current: string, lookup: Lookup): Promise<Candidates> {
  if (cursor.option !== undefined) return valuesOf(cursor.option, cursor, lookup);
  const [, flag] = flagWithValue.exec(current) ?? [];
  if (flag !== undefined) {
    const option = findOption(cursor.command, flag);
    return option === undefined ? nothing : await valuesOf(option, cursor, lookup);
  }
  if (current.startsWith("-")) return { values: flagsOf(cursor.command) };
  if (cursor.command.commands.length > 0 && cursor.operands.length === 0) {
    return { values: verbsOf(cursor.command) };
  }
  return operandsOf(cursor, current, lookup);
}

const nothing: Candidates = { values: [] };

function flagsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

function verbsOf(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return help
    .visibleCommands(command)
    .map((verb) => ({ value: verb.name(), description: help.subcommandDescription(verb) }));
}

const objectFormats = ["json", "yaml", "name", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="];
const listFormats = ["wide", ...objectFormats, "custom-columns=", "custom-columns-file="];
/** They print objects one by one, in any of these formats. */
const printing = [
  "events",
  "apply",
  "autoscale",
  "create",
  "replace",
  "patch",
  "label",
  "annotate",
  "pause",
  "resume",
  "dry-run",
];
const conditions = ["condition=", "jsonpath=", "create", "delete"];

async function valuesOf(option: Option, { given, command }: Cursor, lookup: Lookup): Promise<Candidates> {
  if (option.argChoices !== undefined) return { values: option.argChoices.map((value) => ({ value })) };
  switch (option.name()) {
    case "namespace":
      return named(await lookup.names("namespaces", given));
    case "cluster":
      return named(await lookup.names("clusters", given));
    case "context":
      return named(command.name() === "start" ? [] : await lookup.names("contexts", given));
    case "output":
      if (command.name() === "get") return named(listFormats);
      return named(printing.includes(command.name()) ? objectFormats : []);
    case "type":
      return named(command.name() === "patch" ? patchTypes : []);
    case "for":
      if (command.name() === "wait") return named(conditions);
      return named((await namesOf("hpa", given, lookup)).map((name) => `hpa/${name}`));
    case "types":
      return named(["Normal", "Warning"]);
    default:
      return /<(file|dir|path)/.test(option.flags) ? { values: [], files: true } : nothing;
  }
}

const written: readonly string[] = ["hpa", "clusters", "sources"];

const typesOf: Readonly<Record<string, readonly string[]>> = {
  get: [...written, "events"],
  describe: written,
  delete: written,
  edit: written,
  patch: written,
  wait: written,
  label: written,
  annotate: written,
  pause: ["hpa"],
  resume: ["hpa"],
  "dry-run": ["hpa"],
};

async function operandsOf(cursor: Cursor, current: string, lookup: Lookup): Promise<Candidates> {
  const { command, operands, given } = cursor;
  const types = Object.hasOwn(typesOf, command.name()) ? typesOf[command.name()] : undefined;
  if (types !== undefined) return targetsOf(types, cursor, current, lookup);
  if (command.name() === "explain")
    return operands.length === 0 && !current.includes("/")
      ? named(fieldPaths(current))
      : targetsOf(["hpa"], cursor, current, lookup);
  if (command.name() === "autoscale") return operands.length === 0 ? named(scalableWords) : nothing;
  const argument = argumentAt(command, operands.length);
  if (argument === undefined) return nothing;
  if (argument.argChoices !== undefined) return named(argument.argChoices);
  if (/FILE|DIR|PATH/i.test(argument.name())) return { values: [], files: true };
  if (/CLUSTER/i.test(argument.name())) return named(await lookup.names("clusters", given));
  return nothing;
}

async function targetsOf(
  types: readonly string[],
  { command, operands, given }: Cursor,
  current: string,
  lookup: Lookup,
): Promise<Candidates> {
  if (current.includes("/")) {
    const type = current.slice(0, current.indexOf("/"));
    return named((await namesOf(type, given, lookup)).map((one) => `${type}/${one}`));
  }
  const [type] = operands;
  if (type === undefined) return named(types);
  const names = await namesOf(type, given, lookup);
  const left = names.filter((one) => !operands.includes(one));
  return named(command.name() === "dry-run" && operands.length > 1 ? [...left, "on", "off"] : left);
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const all = command.registeredArguments;
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
}

async function namesOf(
  type: string,
  given: Readonly<Record<string, string>>,
  lookup: Lookup,
): Promise<readonly string[]> {
  try {
    return await lookup.names(resourceOf(type).name, given);
  } catch {
    return []; // another type, such as a Deployment
  }
}

/** Without names that a shell or a terminal would interpret. */
function named(values: readonly string[]): Candidates {
  return { values: values.filter((value) => escapeLine(value) === value).map((value) => ({ value })) };
}

interface Cursor {
  readonly command: Command;
  readonly operands: readonly string[];
  readonly given: Readonly<Record<string, string>>;
  readonly option?: Option;
}

export function walk(program: Command, words: readonly string[]): Cursor {
  let command = program;
  let pending: Option | undefined;
  const operands: string[] = [];
  const given: Record<string, string> = {};
  for (const word of words) {
    const subcommand = operands.length === 0 ? subcommandOf(command, word) : undefined;
    if (pending !== undefined) {
      given[pending.name()] = word;
      pending = undefined;
    } else if (word.startsWith("-") && word !== "-") {
      const [flag = "", value] = word.split(/=(.*)/s);
      const option = findOption(command, flag);
      if (option !== undefined && value !== undefined) given[option.name()] = value;
      else if (option?.required === true) pending = option;
    } else if (subcommand !== undefined) command = subcommand;
    else operands.push(word);
  }
  return { command, operands, given, ...(pending !== undefined && { option: pending }) };
}

export function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag === long || flag === short);
}

function subcommandOf(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word));
}
