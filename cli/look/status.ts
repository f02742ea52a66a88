import { Command, Option } from "commander";
import { toJson } from "../shell/print/to-json";
import { toYaml } from "../shell/print/to-yaml";
import { examples } from "../shell/help";
import { addGlobalOptions, globalOptions } from "../shell/global-options";
import { type Overview, takeOverview } from "../../lib/read/overview";
import { adviceText } from "../shell/advice/print";
import { advice } from "../shell/advice/table";
import { missingNamespace } from "../shell/connect/missing-namespace";
import { demoStopped } from "../shell/connect/stopped-run";
import { unknownCluster } from "../shell/connect/choose-cluster";
import { probeCluster, connectionsFrom } from "../shell/connect/connections";
import { type Session, withSession } from "../shell/session";
import { formatOverview, overviewJson } from "./format-status";
import type { CliEnvironment } from "../shell/environment";

interface Options {
  readonly output?: "json" | "yaml";
  /** From the command line alone: a context's namespace does not hide failures. */
  readonly namespace?: string;
}

/** Exits with 0 in any case, unlike `ebb doctor`. */
export function statusCommand(environment: CliEnvironment): Command {
  const command = new Command("status")
    .description(
      "Show whether clusters answer and shards are synced in time, and which HPAs fail. `ebb doctor` says what to do.",
    )
    .addOption(new Option("-o, --output <format>", "as data").choices(["json", "yaml"]))
    .addHelpText(
      "after",
      examples([
        ["Is everything in order?", "ebb status"],
        ["The HPAs of one namespace", "ebb status -n shop"],
        ["One cluster alone", "ebb status --cluster prod"],
        ["The HPAs that fail, for a script", "ebb status -o json"],
      ]),
    );
  command.action((options: Options, self: Command) =>
    withSession(environment, self, (session) => run(session, { ...options, ...globalOptions(self) })),
  );
  return addGlobalOptions(command);
}

async function run(session: Session, { output, namespace }: Options): Promise<void> {
  const { settings, store, out, now, signal, pause } = session;
  const connections = await connectionsFrom(settings, now);
  try {
    const probe = (entry: Parameters<typeof probeCluster>[1]) => probeCluster(connections, entry, { signal, pause });
    const taking = takeOverview({ cluster: settings.cluster, namespace }, { store, probe, now, signal });
    const overview = await out.during("checking the clusters", taking);
    if (settings.cluster !== undefined && overview.clusters.length === 0)
      throw await unknownCluster(settings.cluster, session);
    if (output !== undefined) return out.write((output === "json" ? toJson : toYaml)(overviewJson(overview), out));
    if (overview.clusters.length === 0) return out.note("No clusters found.");
    const { stopped } = connections;
    if (stopped !== undefined && overview.clusters.some(({ cluster }) => cluster === stopped.demo)) {
      const start = adviceText(advice.startDemo(stopped), await session.callerFor([]));
      out.print(`${demoStopped}, so nothing is synced: ${start}.`);
    }
    const missing = namespace === undefined ? undefined : missingNamespace(namespace, namespacesIn(overview));
    if (missing !== undefined) out.print(missing);
    out.write(formatOverview(overview, { ...out, caller: await session.callerFor([]) }));
  } finally {
    connections.close();
  }
}

function namespacesIn({ clusters }: Overview): readonly string[] {
  return [...new Set(clusters.flatMap(({ namespaces }) => namespaces))];
}
