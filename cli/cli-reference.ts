import type { Argument, Command, Option } from "commander";
import { helpTopics } from "./shell/help";

const globals = "Global options:";

/** docs/cli.md: every verb with its arguments, options and an example. Options that many verbs have are there once. */
export function cliReference(program: Command): string {
  const verbs = visible(program)
    .flatMap((verb) => [verb, ...visible(verb)])
    .filter(doesSomething);
  const shared = sharedBy(verbs);
  const parts = [
    "# The command line",
    "<!-- Made by `npm run docs` from the commands themselves. -->",
    "`ebb VERB …`, or `kubectl ebb VERB …`: kubectl finds `kubectl-ebb` on the PATH. `ebb VERB --help` shows the same, with more examples.",
    `\`\`\`${helpTopics}\`\`\``,
    "## Global options",
    block(linesOf(program.options.filter(({ helpGroupHeading }) => helpGroupHeading === globals))),
    "## Options of many verbs",
    "Each verb names those that it has, below its own.",
    block([...shared.values()]),
    ...verbs.map((verb) => section(verb, shared)),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The lines of options that at least three verbs have in the same words, by their text. One line for each option. */
function sharedBy(verbs: readonly Command[]): ReadonlyMap<string, Line> {
  const all = verbs.flatMap((verb) => linesOf(ownOptions(verb)));
  const countOf = ({ text }: Line) => all.filter((other) => other.text === text).length;
  const most = (line: Line) =>
    all.filter(({ name }) => name === line.name).every((one) => countOf(one) <= countOf(line));
  return new Map(all.filter((line) => countOf(line) >= 3 && most(line)).map((line) => [line.text, line]));
}

const ownOptions = ({ options }: Command) =>
  options.filter(({ helpGroupHeading, hidden }) => helpGroupHeading !== globals && !hidden);

function visible(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((verb) => verb.name() !== "help");
}

/** False for a mere group of verbs. */
export function doesSomething(command: Command): boolean {
  return visible(command).length === 0 || command.registeredArguments.length > 0;
}

function section(command: Command, shared: ReadonlyMap<string, Line>): string {
  const help = command.createHelp();
  const lines = linesOf([
    ...command.registeredArguments.filter(({ description }) => description !== ""),
    ...ownOptions(command),
  ]);
  const elsewhere = lines.flatMap(({ text, name }) => (shared.has(text) ? (name.split(/[ ,]/)[0] ?? []) : []));
  const parts = [
    `## ${help.commandUsage(command).replace(/ \[options\].*$/, "")}`,
    help.commandDescription(command),
    block(
      lines.filter(({ text }) => !shared.has(text)),
      { usage: help.commandUsage(command), elsewhere },
    ),
    exampleOf(command),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The first one, with its comment. `--help` has them all. */
function exampleOf(command: Command): string {
  const examples = helpText(command).split("\nExamples:\n")[1] ?? "";
  const [first = ""] = examples.replace(/^ {2}/gm, "").trim().split("\n\n");
  return first === "" ? "" : `\`\`\`sh\n${first}\n\`\`\``;
}

/** Includes text added after the help, which helpInformation() leaves out. */
export function helpText(command: Command): string {
  let text = "";
  const written = command.configureOutput();
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  command.configureOutput(written);
  return text;
}

interface Line {
  /** The flags, or an argument's name. */
  readonly name: string;
  readonly says: string;
  /** Both. */
  readonly text: string;
}

function linesOf(rows: readonly (Argument | Option)[]): readonly Line[] {
  return rows.map((row) => {
    const name = "flags" in row ? row.flags : row.name();
    const choices = row.argChoices === undefined ? "" : ` (${row.argChoices.join(", ")})`;
    const says = `${row.description}${choices}`;
    return { name, says, text: `${name} ${says}` };
  });
}

interface Around {
  readonly usage?: string;
  /** Options that are described with those of many verbs. */
  readonly elsewhere?: readonly string[];
}

function block(lines: readonly Line[], { usage, elsewhere = [] }: Around = {}): string {
  const width = Math.max(0, ...lines.map(({ name }) => name.length));
  const text = lines.map(({ name, says }) =>
    `${usage === undefined ? "" : "  "}${name.padEnd(width)}  ${says}`.trimEnd(),
  );
  const also = elsewhere.length === 0 ? [] : [`  ${elsewhere.join(", ")}`];
  return ["```", ...(usage === undefined ? [] : [usage]), ...text, ...also, "```"].join("\n");
}
