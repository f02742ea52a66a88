import { Command } from "commander";
import { checkTable } from "./check-table";
import { examineCluster } from "./examine-cluster";
import { type Finding, formatFinding, ok } from "./finding";
import { examples } from "../examples";
import { serverFailure } from "../failure";
import { addGlobalOptions, globalOptions } from "../global-options";
import { openReach } from "../reach/open-reach";
import { createdAt } from "../resources/find-clusters";
import { type Session, withSession } from "../session";
import type { Surroundings } from "../surroundings";

const notes = `
Every line is ok, or says what to do. All is asked from this machine with your credentials; the functions have their own.
Exit code: 0 all is well, 1 something is not.`;

/** `ebb doctor [CLUSTER]`: everything that has to work, looked at. */
export function doctorCommand(surroundings: Surroundings): Command {
  const command = new Command("doctor")
    .description("Look at everything that has to work: table, schedule, entries, clusters, rights, metrics.")
    .argument("[cluster]", "one cluster alone")
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples([
        ["Is everything as it should be?", "ebb doctor"],
        ["One cluster, and what the HPAs of one namespace need", "ebb doctor prod -n shop"],
      ]),
    );
  command.action((cluster: string | undefined, _options: object, self: Command) =>
    withSession(surroundings, self, (session) => run(session, cluster, globalOptions(self).namespace)),
  );
  return addGlobalOptions(command);
}

/** @returns the exit code. */
async function run(session: Session, named: string | undefined, namespace: string | undefined): Promise<number> {
  const { settings, store, table, out, signal, now } = session;
  const [entries, shards, registrations] = await Promise.all([
    store.clusters(signal),
    store.shards(signal),
    readRegistrations(session),
  ]);
  const chosen = named ?? settings.cluster;
  const clusters = entries.filter(({ key }) => chosen === undefined || key === chosen);
  if (chosen !== undefined && clusters.length === 0)
    throw serverFailure("NotFound", `clusters.ebb.dev "${chosen}" not found`);

  const reach = await openReach(settings, now);
  try {
    const examination = { store, reach, shards, registrations, namespace, now, signal };
    // Asked all at once, told in order.
    const sections = [
      {
        title: "table",
        findings: settings.table === undefined ? embedded(settings.directory) : checkTable(table, signal),
      },
      ...clusters.map((entry) => ({ title: `cluster ${entry.key}`, findings: examineCluster(entry, examination) })),
    ];
    const all = await out.during("asking", Promise.all(sections.map(({ findings }) => findings)));
    sections.forEach(({ title }, index) => tell(out, title, all[index] ?? []));
    if (entries.length === 0) out.note("No clusters are registered yet.");
    return conclude(out, all.flat());
  } finally {
    reach.close();
  }
}

async function readRegistrations({ entries, signal }: Session): Promise<ReadonlyMap<string, number>> {
  const clusters = await entries.list("Cluster", {}, signal);
  return new Map(
    clusters.flatMap(({ ref, document }) => {
      const at = Date.parse(createdAt(document) ?? "");
      return Number.isNaN(at) ? [] : [[ref.name, at] as const];
    }),
  );
}

function embedded(directory: string): Promise<readonly Finding[]> {
  return Promise.resolve([ok(`the table in ${directory} answers`)]);
}

function tell(out: Session["out"], title: string, findings: readonly Finding[]): void {
  out.print(out.style("bold", title));
  for (const finding of findings) {
    out.print(`  ${formatFinding(finding, (style, text) => out.style(style, text))}`);
  }
}

function conclude(out: Session["out"], findings: readonly Finding[]): number {
  const failed = findings.filter(({ kind }) => kind === "fail").length;
  out.note(failed === 0 ? "All is well." : `${failed} ${failed === 1 ? "thing needs" : "things need"} attention.`);
  return failed === 0 ? 0 : 1;
}
