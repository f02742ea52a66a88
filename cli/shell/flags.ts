import { type Command, InvalidArgumentError, type Option } from "commander";
import { parseGoBool } from "../../lib/k8s/go-text";
import { failure } from "./failure";

export interface ReadFlags {
  readonly args: readonly string[];
  readonly verb: Command;
}

/** For a usage error. For diff, 1 means a difference. */
export function usageExitCode(verb: Command): number {
  return verb.name() === "diff" ? 2 : 1;
}

/**
 * A flag takes `-x v`, `-xv`, `-x=v`, `--flag v` and `--flag=v`, a boolean flag also `=true` and `=false`, and the last
 * one counts.
 *
 * @throws Failure for a boolean that is neither true nor false. Source:
 * https://pkg.go.dev/github.com/spf13/pflag#hdr-Command_line_flag_syntax
 */
export function readFlags(program: Command, args: readonly string[]): ReadFlags {
  const read: Given[] = [];
  let verb = program;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") return { args: [...texts(read), ...args.slice(index)], verb };
    if (!arg.startsWith("-") || arg === "-") {
      read.push({ text: arg });
      verb = verb.commands.find((command) => command.name() === arg) ?? verb;
      continue;
    }
    const next = () => args[++index];
    if (arg.startsWith("--")) readLong(verb, arg, next, read);
    else readShort(verb, arg, next, read);
  }
  return { args: texts(read), verb };
}

/** A later flag replaces a boolean `option`. */
interface Given {
  readonly text: string;
  readonly option?: Option;
}

const texts = (read: readonly Given[]): readonly string[] => read.map(({ text }) => text);

function readLong(command: Command, arg: string, next: () => string | undefined, read: Given[]): void {
  const equals = arg.indexOf("=");
  const option = command.options.find(({ long }) => long === (equals === -1 ? arg : arg.slice(0, equals)));
  const value = equals === -1 ? undefined : arg.slice(equals + 1);
  if (option === undefined) read.push({ text: arg });
  else if (isBoolean(option)) setBoolean(command, option, value, read);
  else readValue(option, value, option.required ? next : undefined, read);
}

/** `-x`, `-xv`, `-x=v`, or boolean flags before one of these: `-Aw=false`. */
function readShort(command: Command, arg: string, next: () => string | undefined, read: Given[]): void {
  for (let at = 1; at < arg.length; at++) {
    const option = command.options.find(({ short }) => short === `-${arg.charAt(at)}`);
    const rest = arg.slice(at + 1);
    const value = rest.length > 1 && rest.startsWith("=") ? rest.slice(1) : undefined;
    if (option === undefined) return void read.push({ text: `-${arg.slice(at)}` });
    if (!isBoolean(option))
      return readValue(option, value ?? (rest === "" ? undefined : rest), option.required ? next : undefined, read);
    setBoolean(command, option, value, read);
    if (value !== undefined) return;
  }
}

const isBoolean = ({ required, optional }: Option): boolean => !required && !optional;

/** Without a value or `next`, the option's preset counts. */
function readValue(
  option: Option,
  given: string | undefined,
  next: (() => string | undefined) | undefined,
  read: Given[],
): void {
  const flag = option.long ?? option.flags;
  const value = given ?? next?.() ?? (option.presetArg as string | undefined);
  read.push({ text: value === undefined ? flag : `${flag}=${value}` });
}

function setBoolean(command: Command, option: Option, value: string | undefined, read: Given[]): void {
  const isSet = value === undefined || parseBool(value, option, command);
  const opposite = command.options.find(
    ({ long }) => long === `--no-${option.long?.slice(2)}` || `--no-${long?.slice(2)}` === option.long,
  );
  const earlier = read.findIndex((given) => given.option === option || given.option === (opposite ?? option));
  if (earlier !== -1) read.splice(earlier, 1);
  const flag = isSet ? option : opposite;
  if (flag?.long !== undefined) read.push({ text: flag.long, option: flag });
}

function parseBool(text: string, { flags }: Option, verb: Command): boolean {
  const value = parseGoBool(text);
  if (value !== undefined) return value;
  const message = `invalid argument ${JSON.stringify(text)} for "${flags}" flag: expected true or false`;
  throw failure(`${message}\n${usageHint(verb)}`, usageExitCode(verb));
}

export function usageHint(verb: Command): string {
  return `See '${pathOf(verb)} --help' for usage.`;
}

export function argumentHint(verb: Command): string {
  const takes = (long: string) => verb.options.some((option) => option.long === long);
  if (takes("--filename")) return `Name files with -f: ${pathOf(verb)} -f FILE\n`;
  if (takes("--for")) return `Name an HPA with --for: ${pathOf(verb)} --for hpa/NAME\n`;
  return "";
}

function pathOf(verb: Command): string {
  return verb.parent === null ? verb.name() : `${pathOf(verb.parent)} ${verb.name()}`;
}

export function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError("expected a port from 1 to 65535");
  return port;
}
