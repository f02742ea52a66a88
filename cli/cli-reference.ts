import type { Command, Option } from "commander";
import { helpTopics } from "./shell/help";

const globals = "Global options:";

/** docs/cli.md. */
export function cliReference(program: Command): string {
  const verbs = visible(program)
    .flatMap((verb) => [verb, ...visible(verb)])
    .filter(doesSomething);
  const parts = [
    "# The command line",
    "<!-- Made by `npm run docs` from the commands themselves. -->",
    "`ebb VERB …`, or `kubectl ebb VERB …`: kubectl finds `kubectl-ebb` on the PATH. Below each verb are its operands and options, which `ebb VERB --help` describes, with examples.",
    `\`\`\`${helpTopics}\`\`\``,
    "## Global options",
    block(program.options.filter(({ helpGroupHeading }) => helpGroupHeading === globals)),
    ...verbs.map(section),
  ];
  return `${parts.join("\n\n")}\n`;
}

const ownOptions = ({ options }: Command) =>
  options.filter(({ helpGroupHeading, hidden }) => helpGroupHeading !== globals && !hidden);

function visible(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((verb) => verb.name() !== "help");
}

export function doesSomething(command: Command): boolean {
  return visible(command).length === 0 || command.registeredArguments.length > 0;
}

function section(command: Command): string {
  const help = command.createHelp();
  const [title = "", operands = ""] = help.commandUsage(command).split(/ \[options\] ?/);
  const lines = [operands, ...wrapped(ownOptions(command).map(flagsOf))].filter(Boolean);
  const block = lines.map((line) => `    ${line}`).join("\n");
  return [`## ${title}`, help.commandDescription(command), block].filter(Boolean).join("\n\n");
}

const width = 96;

function wrapped(options: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const option of options) {
    const line = lines.at(-1);
    if (line === undefined || `${line}, ${option}`.length > width) lines.push(option);
    else lines.splice(-1, 1, `${line}, ${option}`);
  }
  return lines;
}

/** "-o, --output <format>" as "-o <format>": help says the long name. */
const flagsOf = ({ flags }: Option) => flags.replace(/^(-\w), --[\w-]+/, "$1");

/** helpInformation() leaves out text added after the help. */
export function helpText(command: Command): string {
  let text = "";
  const written = command.configureOutput();
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  command.configureOutput(written);
  return text;
}

function block(options: readonly Option[]): string {
  const widest = Math.max(...options.map(({ flags }) => flags.length));
  const lines = options.map(({ flags, description }) => `${flags.padEnd(widest)}  ${description}`);
  return ["```", ...lines, "```"].join("\n");
}
