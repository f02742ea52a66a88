import { once } from "node:events";
import { Command, Option } from "commander";
import { openHistoryReader } from "../../../compose";
import { type ExpositionFormat, expositionOf } from "../../../lib/read/exposition";
import { isFresh, readFleet } from "../../../lib/read/fleet";
import type { CliEnvironment } from "../../shell/environment";
import { failure } from "../../shell/failure";
import { portNumber } from "../../shell/flags";
import { addGlobalOptions } from "../../shell/global-options";
import { examples } from "../../shell/help";
import { localTimes } from "../../shell/print/times";
import { openMetrics } from "./serve-metrics";
import { closeAfter } from "../../../lib/async/closing";
import { type Session, withSession } from "../../shell/session";

interface MetricsOptions {
  readonly output: ExpositionFormat;
  readonly port?: number;
}

export function metricsCommand(environment: CliEnvironment): Command {
  const command = new Command("metrics")
    .summary("Print metrics of all HPAs for Prometheus.")
    .description(
      "Print metrics of all HPAs, as kube-state-metrics and the HPA controller name them, and ebb's own. Each has the label " +
        "cluster. The values are those of the last minute; what is unknown has no series.",
    )
    .addOption(
      new Option("-o, --output <format>", "the text format")
        .choices(["prometheus", "openmetrics"])
        .default("prometheus"),
    )
    .option("--port <number>", "serve them on 127.0.0.1 instead, for a Prometheus on this machine", portNumber)
    .addHelpText(
      "after",
      examples([
        ["For the textfile collector of node_exporter", "ebb metrics > ebb.prom"],
        ["For a Prometheus on this machine", "ebb metrics --port 9464"],
      ]),
    );
  return addGlobalOptions(command).action((options: MetricsOptions, self: Command) =>
    withSession(environment, self, (session) =>
      options.port === undefined ? printMetrics(session, options.output) : runMetrics(session, options.port),
    ),
  );
}

async function runMetrics({ table, now, signal, out, settings }: Session, port: number): Promise<void> {
  await closeAfter(async (closing) => {
    const server = await openMetrics(table, { folder: settings.directory, port, now });
    closing.add(() => server.close());
    out.print(server.line);
    if (!signal.aborted) await once(signal, "abort");
  });
}

async function printMetrics({ store, table, now, signal, out }: Session, format: ExpositionFormat): Promise<void> {
  const history = openHistoryReader(table, now);
  const fleet = await readFleet({ store, history }, now(), signal);
  if (fleet.shards.length > 0 && fleet.shards.every((shard) => shard.history === undefined))
    throw failure("the table keeps no history, of which metrics are made: set historyDays above 0");
  for (const shard of fleet.shards) {
    if (isFresh(shard, now())) continue;
    const seen =
      shard.history === undefined
        ? "no slot has recorded any"
        : `none since ${localTimes(now()).moment(shard.history.seen)}`;
    const range = shard.from === "" ? "" : ` from ${shard.from} on`;
    out.warn(`HPAs of cluster ${shard.cluster}${range} have no values: ${seen}`);
  }
  for (const text of expositionOf(fleet, now(), format)) out.write(text);
}
