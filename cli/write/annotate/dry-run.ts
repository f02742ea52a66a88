import type { Command } from "commander";
import { dryRunAnnotation } from "../../../lib/model/entry/annotation-names";
import { readOperations } from "../../../lib/model/entry/annotations";
import { annotateEach } from "./change-metadata";
import { addChoiceOptions, type ChoiceOptions, chooseEntries } from "./choose-entries";
import { hpaQueriesOf } from "../documents/query-files";
import { addReportOptions, type ReportOptions } from "../report";
import { tableVerb } from "../../shell/table-verb";
import type { CliEnvironment } from "../../shell/environment";
import { once } from "../../../lib/async/shared";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { Shard } from "../../../lib/model/stored/shard";
import { compareDryRun } from "./dry-run-comparison";
import { decisionsSince } from "../../../lib/read/decisions";
import { type HpaFacts, lastSyncOf, readHpaFacts } from "../../../lib/read/hpa-facts";
import { toJson } from "../../shell/print/to-json";
import { toYaml } from "../../shell/print/to-yaml";
import { failure } from "../../shell/failure";
import { eachInOrder } from "../../shell/in-order";
import { alignFor } from "../../shell/print/fit-columns";
import type { ResourceQuery } from "../../shell/input/parse-targets";
import type { Session } from "../../shell/session";
import { dryRunJson, type DryRunReport, dryRunText } from "./dry-run-report";
import { dayMs } from "../../../lib/k8s/time";

/** `ebb dry-run hpa NAME [on|off]`; without on or off, reports on the last day. */
export function dryRunCommand(environment: CliEnvironment): Command {
  return tableVerb<ChoiceOptions & ReportOptions>(environment, {
    name: "dry-run",
    summary: "Let HPAs decide and record, and never scale.",
    description:
      "Switch a dry run on or off: ebb decides and records, but never writes the scale. Without on or off, show the last " +
      "day: how often ebb would have scaled, beside what the target really did.",
    arguments: [["[hpa...]", "hpa NAME… [on|off], or hpa/NAME… [on|off]"]],
    options: (command) => addReportOptions(addChoiceOptions(command)),
    examples: [
      ["See what it would do", "ebb dry-run hpa web on"],
      ["How did the last day go?", "ebb dry-run hpa web"],
      ["Let it scale", "ebb dry-run hpa web off"],
      ["All of a namespace", "ebb dry-run hpa --all -n shop on"],
    ],
    async run(session, line) {
      const { args, options } = line;
      const last = args.at(-1);
      const state = last === "on" || last === "off" ? last : undefined;
      const queries = await hpaQueriesOf(session, state === undefined ? line : { ...line, args: args.slice(0, -1) });
      if (state === undefined) return await showDryRuns(session, { queries, options });
      const annotations = { [dryRunAnnotation]: state === "on" ? "true" : null };
      return await annotateEach(session, { queries, options, annotations, said: () => `dry run ${state}` });
    },
  });
}

interface Showing {
  readonly queries: readonly ResourceQuery[];
  readonly options: ChoiceOptions & ReportOptions;
}

interface HpaRef {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** @returns the exit code @throws Failure for an option that needs on or off */
async function showDryRuns(session: Session, { queries, options }: Showing): Promise<number> {
  const { out, now } = session;
  const { dryRun, output } = options;
  if (dryRun !== "none") throw failure("--dry-run is about a change: expected on or off at the end");
  if (output !== undefined && output !== "json" && output !== "yaml")
    throw failure(`-o: expected json or yaml, got "${output}"; the other formats are for on and off`);
  // One read of the shards serves all HPAs.
  const shards = once<readonly Shard[]>();
  const { store, signal } = session;
  const looking = { ...session, store: { ...store, shards: () => shards("", () => store.shards(signal)) } };
  const reports: object[] = [];
  let [code, found, fresh] = [0, 0, 0];
  for (const query of queries) {
    const { entries, missing } = await out.during("reading the table", chooseEntries(session, query, options));
    await eachInOrder(session, entries, {
      doing: () => "reading",
      call: ({ ref: { cluster, namespace = "default", name } }) => readDryRun(looking, { cluster, namespace, name }),
      done(report, { ref: { namespace = "default", name } }) {
        if (report === undefined) {
          // Among all HPAs, only dry runs matter.
          if (query.names !== undefined) out.note(`${namespace}/${name} was no dry run in the last day.`);
          return;
        }
        if (report === "new") {
          fresh += 1;
          out.note(`${namespace}/${name} is a dry run, and no sync has recorded anything of it yet.`);
          return;
        }
        found += 1;
        if (output !== undefined) return void reports.push(dryRunJson(report));
        const emphasize = (text: string) => out.style("bold", text);
        const text = dryRunText(report, { now: now(), align: alignFor(out.terminal), emphasize });
        out.write(found === 1 ? text : `\n${text}`);
      },
    });
    for (const message of missing) out.note(message);
    if (missing.length > 0) code = 1;
  }
  const areNamed = queries.every(({ names }) => names !== undefined);
  if (found + fresh === 0 && !areNamed) out.note("No HPA was a dry run in the last day.");
  if (output !== undefined) out.write((output === "json" ? toJson : toYaml)({ items: reports }, out));
  return code;
}

/** Undefined: it was no dry run. */
async function readDryRun({ store, signal, now }: Session, ref: HpaRef): Promise<DryRunReport | "new" | undefined> {
  const { cluster, namespace, name } = ref;
  const key = hpaKey(namespace, name);
  const since = now() - dayMs;
  const [facts, before, records] = await Promise.all([
    readHpaFacts(store, ref, signal),
    store.decisions(cluster, key, { notAfter: since, limit: 1 }, signal),
    decisionsSince(store, { cluster, key, since }, signal),
  ]);
  if (facts === undefined) return undefined;
  const comparison = compareDryRun([...records, ...before], {
    since,
    until: Math.max(since, lastSyncOf(facts) ?? since),
  });
  if (comparison === undefined) return isOn(facts) ? "new" : undefined;
  return { facts, isOn: isOn(facts), comparison };
}

function isOn({ entry }: HpaFacts): boolean {
  const operations = "hpa" in entry ? readOperations(entry.hpa.metadata) : undefined;
  return operations !== undefined && "dryRun" in operations && operations.dryRun;
}
