import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { ebbProgram } from "../../cli/program";
import { readFlags } from "../../cli/shell/flags";
import type { CliEnvironment } from "../../cli/shell/environment";
import { scripts } from "../../package.json";
import { readPage } from "../how-to/page";
import { readYaml } from "../infra/read-template";

/** docs/first-deployment.md cannot be followed without AWS. So what can be checked of its commands is checked here. */
const page = readFileSync("docs/first-deployment.md", "utf8");
const commands = readPage(page)
  .flatMap((step) => (step.kind === "run" ? step.script.trim().split("\n") : []))
  .flatMap((line) => line.split(" | "));

/** The words of a line without nested quotes. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, plain]) => single ?? double ?? plain ?? "");

/** The command, with actions that do nothing: it reads its arguments and options. */
async function parsed(args: readonly string[]): Promise<string> {
  const ran: string[] = [];
  const errors: string[] = [];
  const stderr = new PassThrough();
  stderr.on("data", (text: Buffer) => errors.push(text.toString()));
  const environment = { env: {}, stdin: new PassThrough(), stdout: new PassThrough(), stderr };
  const program = ebbProgram(environment as unknown as CliEnvironment, "ebb");
  const still = (command: Command): void => {
    command.action(() => void ran.push(command.name()));
    command.commands.forEach(still);
  };
  program.commands.forEach(still);
  try {
    await program.parseAsync(readFlags(program, args).args, { from: "user" });
  } catch (error) {
    return `${String(error)} ${errors.join("")}`;
  }
  return ran.join(" ");
}

const own = commands.filter((line) => line.startsWith("ebb "));

test.each(own)("%s", async (line) => {
  const [, verb = "", ...rest] = wordsOf(line);
  expect((await parsed([verb, ...rest])).split(" ")).toContain(verb);
});

test("a command with an unknown verb or option would be found", async () => {
  expect(await parsed(["gett", "hpa"])).toContain("unknown command");
  expect(await parsed(["get", "hpa", "--every-cluster"])).toContain("unknown option");
});

test("every line is a command of ebb, of the AWS CLI, of npm, or of kubectl with its cluster", () => {
  const known = /^(ebb|npm (ci|run)|(export [A-Z]+=\$\()?aws [a-z]|kubectl --context|export EBB_TABLE=)/;
  expect(commands.filter((line) => !known.test(line))).toEqual([]);
  expect(own.length).toBeGreaterThan(8);
  const runs = commands.flatMap((line) => /^npm run ([\w:]+)/.exec(line)?.[1] ?? []);
  expect(runs.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test("each metric, log group and alarm that it names is the stack's", () => {
  const reporter = readFileSync("functions/reporter.ts", "utf8");
  for (const metric of [
    "Clusters",
    "Shards",
    "Messages",
    "FailingHpas",
    "SyncLag",
    "SyncDuration",
    "SignaturesRefused",
  ])
    expect([metric, page.includes(metric), reporter.includes(metric)]).toEqual([metric, true, true]);
  const { functions } = readYaml<{ readonly functions: object }>("serverless.yml");
  const groups = new Set([...page.matchAll(/\/aws\/lambda\/ebb-try-(\w+)/g)].map(([, name = ""]) => name));
  expect([...groups].sort()).toEqual(
    Object.keys(functions)
      .filter((name) => !["notify", "metrics"].includes(name))
      .sort(),
  );
  const { Resources } = readYaml<{
    readonly Resources: Readonly<Record<string, { readonly Properties: { readonly EvaluationPeriods: number } }>>;
  }>("infra/alarms.yml");
  expect(page).toContain("`tick-silent` may be in `INSUFFICIENT_DATA` for its first ten minutes");
  expect(Resources["TickSilentAlarm"]?.Properties.EvaluationPeriods).toBe(10);
});

test("it is a list to tick off, and docs/deploy.md leads to it", () => {
  expect(page.match(/^- \[ \] \*\*/gm)?.length).toBeGreaterThan(15);
  expect(readFileSync("docs/deploy.md", "utf8")).toContain("(first-deployment.md)");
});
