import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { cliReference, doesSomething, helpText } from "../../cli/cli-reference";
import { commandProblem, program } from "./command-problem";
import { ebb } from "./run-ebb";

function leaves(command: Command): readonly Command[] {
  const verbs = command
    .createHelp()
    .visibleCommands(command)
    .filter((verb) => verb.name() !== "help");
  return [...(doesSomething(command) ? [command] : []), ...verbs.flatMap(leaves)];
}

const verbs = leaves(program).map((command): [string, Command] => {
  const parent = command.parent === program ? "" : `${command.parent?.name()} `;
  return [parent + command.name(), command];
});

test.each(verbs)("ebb %s --help has examples that can be run", async (path, command) => {
  const { stdout, exitCode } = await ebb([...path.split(" "), "--help"]);
  expect(exitCode).toBe(0);
  const lines = (stdout.split("\nExamples:\n")[1] ?? "").split("\n").filter((line) => /^ {2}[^#\s]/.test(line));
  expect(lines.length).toBeGreaterThan(0);
  const commandLines = lines.flatMap((line) => line.match(/(?<![\w./-])ebb [^|>)]*/g) ?? []);
  expect(commandLines.some((line) => line.startsWith(`ebb ${path}`))).toBe(true);
  for (const line of commandLines) expect(commandProblem(line)).toBeUndefined();
  expect(helpText(command)).toContain("Examples:");
});

test("ebb --help fits 80 columns, and lists every verb", async () => {
  const { stdout } = await ebb(["--help"]);
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  for (const [path] of verbs) expect(stdout).toMatch(new RegExp(`^  ${path.split(" ")[0]} +[A-Z]`, "m"));
});

test("ebb --help lists the exit codes, and says that it sends no data", async () => {
  const { stdout } = await ebb(["--help"]);
  expect(stdout).toContain("Exit codes: 0 done; 1 failed");
  expect(stdout).toContain("ebb sends no telemetry");
});

test("docs/cli.md is what the commands say: npm run docs", () => {
  const written = readFileSync(join(__dirname, "../../docs/cli.md"), "utf8");
  expect(unformatted(written)).toBe(unformatted(cliReference(program)));
});

test("docs/cli.md names every option of each verb, and says what each verb does", () => {
  const page = cliReference(program);
  for (const [path, command] of verbs) {
    const section = page.split(`\n## ebb ${path}\n`)[1]?.split("\n## ")[0] ?? "";
    const named = section.split(/[\n,]/).map((part) => part.trim());
    const own = command.options.filter(
      ({ hidden, helpGroupHeading }) => !hidden && helpGroupHeading !== "Global options:",
    );
    const missing = own.map(({ flags }) => flags.replace(/, --[\w-]+/, "")).filter((flags) => !named.includes(flags));
    expect([path, missing]).toEqual([path, []]);
    expect([path, section.includes(command.createHelp().commandDescription(command))]).toEqual([path, true]);
  }
  expect(page.split("\n").filter((line) => / {2}-/.test(line) && line.length > 100)).toEqual([]);
});

/** Without prettier's changes to tables and blank lines. */
function unformatted(text: string): string {
  return text
    .replace(/\| ?-+ ?(?=\|)/g, "|---")
    .replace(/ {2,}/g, " ")
    .replace(/\n+/g, "\n")
    .trim();
}
