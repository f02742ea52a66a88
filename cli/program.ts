import { setMaxListeners } from "node:events";
import { basename } from "node:path";
import { Command, CommanderError } from "commander";
import { version } from "../package.json";
import { autoscaleCommand } from "./write/autoscale/autoscale";
import { completeCommand, completionCommand } from "./set-up/completion";
import { configCommand } from "./set-up/config";
import { costCommand } from "./understand/cost/cost";
import { dashboardCommand } from "./look/dashboard/dashboard";
import { deleteCommand } from "./write/delete";
import { describeCommand } from "./look/describe";
import { diffCommand } from "./write/diff";
import { doctorCommand } from "./understand/doctor/doctor";
import { editCommand } from "./write/edit";
import { evaluateCommand } from "./understand/evaluate/evaluate";
import { eventsCommand } from "./look/events";
import { explainCommand } from "./understand/explain/explain";
import { failureText, isFailure } from "./shell/failure";
import { argumentHint, readFlags, usageExitCode, usageHint } from "./shell/flags";
import { getCommand } from "./look/get/get";
import { addGlobalOptions } from "./shell/global-options";
import { examples, helpTopics } from "./shell/help";
import { initCommand } from "./set-up/init";
import { adoptCommand } from "./write/annotate/adopt";
import { dryRunCommand } from "./write/annotate/dry-run";
import { annotateCommand, labelCommand } from "./write/annotate/label-annotate";
import { pauseCommand, resumeCommand } from "./write/annotate/pause";
import { rbacCommand } from "./set-up/rbac";
import { metricsCommand } from "./look/metrics/metrics";
import { readCommand } from "./look/read";
import { startCommand } from "./set-up/start/start";
import { statusCommand } from "./look/status";
import { topCommand } from "./look/top/top";
import type { CliEnvironment } from "./shell/environment";
import { validateCommand } from "./write/validate";
import { versionCommand } from "./look/version";
import { waitCommand } from "./look/wait";
import { applyCommand, createCommand, replaceCommand } from "./write/file-verbs";
import { patchCommand } from "./write/patch";
import { historyCommand } from "./understand/history/history";
import { importHpaCommand } from "./set-up/import/import-hpa";
import { importKedaCommand } from "./set-up/import/import-keda";

export interface Invocation {
  readonly name: string;
  readonly args: readonly string[];
}

/**
 * The process's file has three names: `ebb`; `kubectl-ebb`, which kubectl runs for `kubectl ebb …`; and
 * `kubectl_complete-ebb`, which kubectl's completion runs.
 */
export function invocation([, file = "", ...args]: readonly string[]): Invocation {
  const called = basename(file).replace(/\.\w+$/, "");
  if (called === "kubectl-ebb") return { name: "kubectl ebb", args };
  if (called === "kubectl_complete-ebb") return { name: "kubectl ebb", args: ["complete", "--", ...args] };
  return { name: "ebb", args };
}

export function ebbProgram(environment: CliEnvironment, name = "ebb"): Command {
  const program = new Command(name)
    .description("The Kubernetes Horizontal Pod Autoscaler as a serverless system.")
    .version(version)
    .enablePositionalOptions()
    .addCommand(startCommand(environment))
    .addCommand(initCommand(environment))
    .addCommand(configCommand(environment))
    .addCommand(getCommand(environment))
    .addCommand(describeCommand(environment))
    .addCommand(eventsCommand(environment))
    .addCommand(topCommand(environment))
    .addCommand(dashboardCommand(environment))
    .addCommand(applyCommand(environment))
    .addCommand(diffCommand(environment))
    .addCommand(createCommand(environment))
    .addCommand(replaceCommand(environment))
    .addCommand(patchCommand(environment))
    .addCommand(editCommand(environment))
    .addCommand(deleteCommand(environment))
    .addCommand(autoscaleCommand(environment))
    .addCommand(waitCommand(environment))
    .addCommand(explainCommand(environment))
    .addCommand(historyCommand(environment))
    .addCommand(metricsCommand(environment))
    .addCommand(readCommand(environment))
    .addCommand(statusCommand(environment))
    .addCommand(pauseCommand(environment))
    .addCommand(resumeCommand(environment))
    .addCommand(dryRunCommand(environment))
    .addCommand(adoptCommand(environment))
    .addCommand(labelCommand(environment))
    .addCommand(annotateCommand(environment))
    .addCommand(importCommand(environment))
    .addCommand(doctorCommand(environment))
    .addCommand(costCommand(environment))
    .addCommand(rbacCommand(environment))
    .addCommand(validateCommand(environment))
    .addCommand(evaluateCommand(environment))
    .addCommand(completionCommand(environment))
    .addCommand(versionCommand(environment));
  program.addCommand(completeCommand(environment, program), { hidden: true });
  addGlobalOptions(program)
    .addHelpText("after", helpTopics)
    .addHelpText(
      "after",
      examples([
        ["Everything on this machine: a simulated cluster, queues and load", "ebb start"],
        ["All HPAs at a glance", "ebb get hpa -A"],
        ["Why an HPA has the size it has", "ebb explain hpa web -n shop"],
      ]),
    );
  program.hook("preAction", (_, verb) => announceStdin(verb, environment));
  prepare(program, environment);
  return program;
}

/** Makes every command write to its environment, throw instead of exiting, and point to its own help. */
function prepare(command: Command, environment: CliEnvironment): void {
  const { stdout, stderr } = environment;
  command
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError(usageHint(command))
    // With arguments, verbs would not fit a terminal.
    .configureHelp({ subcommandTerm: (verb) => verb.name() })
    .helpOption("-h, --help", "help for this command");
  if (command.parent !== null) command.helpCommand(false);
  for (const verb of command.commands) prepare(verb, environment);
}

/** Never rejects: errors go to stderr and the exit code. */
export async function runEbb(given: readonly string[], environment: CliEnvironment, name = "ebb"): Promise<void> {
  // Many requests listen to the signal at a time: not a leak.
  setMaxListeners(0, environment.interrupted);
  const program = ebbProgram(environment, name);
  let usageCode = 1;
  let verb = program;
  try {
    const { args, ...read } = readFlags(program, given.length === 0 ? ["--help"] : given);
    ({ verb } = read);
    usageCode = usageExitCode(verb);
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === "commander.excessArguments") environment.stderr.write(argumentHint(verb));
      return environment.exitWith(error.exitCode === 0 ? 0 : usageCode);
    }
    environment.stderr.write(`${failureText(error)}\n`);
    environment.exitWith(isFailure(error) ? error.exitCode : 1);
  }
}

/** A verb that waits for a terminal's input would look as if it hung. */
function announceStdin(verb: Command, { stdin, stderr }: Pick<CliEnvironment, "stdin" | "stderr">): void {
  if (stdin.isTTY !== true) return;
  const { filename = [] } = verb.opts<{ readonly filename?: readonly string[] }>();
  const takesFiles = verb.registeredArguments.some((argument) => argument.name() === "FILE");
  const files = [...(takesFiles ? verb.args : []), ...filename];
  const isLines = verb.name() === "evaluate";
  if (!files.includes("-") && !(isLines && files.length === 0)) return;
  const what = isLines ? "reading situations from standard input, one a line" : "reading from standard input";
  stderr.write(`${what}; Ctrl-D ends it\n`);
}

function importCommand(environment: CliEnvironment): Command {
  return new Command("import")
    .description("Convert a cluster's HorizontalPodAutoscalers or KEDA's ScaledObjects to entries.")
    .addCommand(importHpaCommand(environment))
    .addCommand(importKedaCommand(environment));
}
