import type { Argument, Command, Option } from "commander";
import { helpTopics } from "./help";

const globals = "Global options:";

/** docs/cli.md: every verb with its arguments, options and examples, as its own --help has them. */
export function cliReference(program: Command): string {
  const verbs = visible(program).flatMap((verb) => [verb, ...visible(verb)]);
  const parts = [
    "# The command line",
    "<!-- Made by `npm run docs` from the commands themselves. -->",
    "`ebb VERB …`, or `kubectl ebb VERB …`: kubectl finds `kubectl-ebb` on the PATH.",
    `\`\`\`${helpTopics}\`\`\``,
    "## Global options",
    table(program.options.filter(({ helpGroupHeading }) => helpGroupHeading === globals)),
    ...verbs.filter(doesSomething).map(section),
  ];
  return `${parts.join("\n\n")}\n`;
}

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

function section(command: Command): string {
  const help = command.createHelp();
  const own = command.options.filter(({ helpGroupHeading, hidden }) => helpGroupHeading !== globals && !hidden);
  const parts = [
    `## ${help.commandUsage(command).replace(/ \[options\].*$/, "")}`,
    help.commandDescription(command),
    ["```sh", help.commandUsage(command), "```"].join("\n"),
    table([...command.registeredArguments.filter(({ description }) => description !== ""), ...own]),
    examplesOf(command),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function examplesOf(command: Command): string {
  const examples = helpText(command).split("\nExamples:\n")[1] ?? "";
  return examples === "" ? "" : `\`\`\`sh\n${examples.replace(/^ {2}/gm, "").trim()}\n\`\`\``;
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

function table(rows: readonly (Argument | Option)[]): string {
  if (rows.length === 0) return "";
  const cell = (text: string) => text.replace(/\|/g, "\\|");
  const lines = rows.map((row) => {
    const name = "flags" in row ? row.flags : row.name();
    const choices = row.argChoices === undefined ? "" : ` (${row.argChoices.join(", ")})`;
    return `| \`${cell(name)}\` | ${cell(row.description + choices)} |`;
  });
  return ["| | |", "|---|---|", ...lines].join("\n");
}
