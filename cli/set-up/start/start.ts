import { Command, InvalidArgumentError } from "commander";
import { clusterDirectory, homeDirectory } from "../../../local/stored-tables";
import { collect } from "../../shell/input/document-options";
import { portNumber } from "../../shell/flags";
import { examples } from "../../shell/help";
import type { CliEnvironment } from "../../shell/environment";
import type { GivenOptions } from "./run-start";

export function startCommand({ interrupted }: Pick<CliEnvironment, "interrupted">): Command {
  return new Command("start")
    .description("Run ebb on this machine: a demo, or with --kubeconfig a real cluster and real queues.")
    .option(
      "--directory <dir>",
      `where the table is kept (default: ${homeDirectory} for the demo, ${clusterDirectory("NAME")} for a cluster of your own)`,
    )
    .option("--kubeconfig <file>", "act on the cluster of this kubeconfig instead of the demo's")
    .option("--context <name>", "the kubeconfig's context (default: its current one)")
    .option("--cluster <name>", "the cluster's name in the table", "default")
    .option("-f, --filename <file>", "put these HPAs (YAML or JSON) into the table first; repeatable", collect)
    .option(
      "--table <name>",
      "keep the table in DynamoDB, with the AWS settings of the environment, instead of on disk",
    )
    .option("--dry-run", "decide and record, and write no scale: every HPA is in a dry run, and stays as you wrote it")
    .option("--metrics-port <number>", "serve metrics on 127.0.0.1, for a Prometheus on this machine", portNumber)
    .option("--sync-period <seconds>", "the cluster's sync period", seconds, 15)
    .addHelpText(
      "after",
      examples([
        ["The demo", "ebb start"],
        ["A cluster and queues of your own", "ebb start --kubeconfig ~/.kube/config -f hpa.yaml"],
        ["The same, with the table in DynamoDB", "ebb start --kubeconfig ~/.kube/config --table ebb-dev"],
        ["What ebb would do there, without doing it", "ebb start --kubeconfig ~/.kube/config -f hpa.yaml --dry-run"],
      ]),
    )
    .action(async (given: GivenOptions, command: Command) => {
      const { runStart } = await import("./run-start");
      if (!interrupted.aborted) await runStart(given, command);
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 3 || value > 3600)
    throw new InvalidArgumentError("expected whole seconds from 3 to 3600");
  return value;
}
