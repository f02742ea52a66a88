import type { Command } from "commander";
import { someAtATime } from "../../lib/async/semaphore";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { hpaDescription } from "./describe-hpa";
import type { RecordedEvent } from "../../lib/model/stored/event-log";
import { alignFor } from "../shell/print/fit-columns";
import type { StoredEntry } from "../../lib/model/ports/entries";
import { clusterIn } from "../../lib/table/items/resource-items";
import { addDocumentOptions, type DocumentOptions } from "../shell/input/document-options";
import { failure } from "../shell/failure";
import { findObjects, type Listing } from "../../lib/read/find";
import { readsAtATime } from "../../lib/read/find-hpas";
import { reportMissing } from "./get/read-hpas";
import { find, type Narrowing, noteNothing, locationOf } from "../shell/input/find";
import { queriesOf } from "../write/documents/query-files";
import type { Found, ResourceName } from "../../lib/read/found";
import type { Session } from "../shell/session";
import { type CommandLine, tableVerb } from "../shell/table-verb";
import type { CliEnvironment } from "../shell/environment";
import { describeCluster, describeInvalid, describeLines, describeSource } from "./describe-resource";
import type { EpochMs } from "../../lib/k8s/time";
import { explanationOf } from "../../lib/read/explanation";
import type { HpaFacts } from "../../lib/read/hpa-facts";
import { localTimes } from "../shell/print/times";
import { describeHold } from "../understand/explain/decision-table";
import { keyNamed } from "../../lib/model/hpa-key";

interface DescribeOptions extends Narrowing, DocumentOptions {
  readonly showEvents?: boolean;
}

export function describeCommand(environment: CliEnvironment): Command {
  return tableVerb<DescribeOptions>(environment, {
    name: "describe",
    summary: "Show everything about an HPA, a cluster or a metric source.",
    description: "Show hpa, clusters or sources in detail, as `kubectl describe` does.",
    arguments: [["[TYPE | TYPE/NAME]", "hpa, clusters, sources"], ["[NAME...]"]],
    options: (command) =>
      addDocumentOptions(
        command
          .option("-A, --all-namespaces", "objects in all namespaces")
          .option("-l, --selector <selector>", "objects whose labels match, such as -l app=web,tier!=cache")
          .option("--show-events", "also their events (default: when there is one object)")
          .option("--no-show-events"),
      ),
    examples: [
      ["One HPA: metrics, conditions, events", "ebb describe hpa web -n shop"],
      ["All HPAs of a namespace", "ebb describe hpa -n shop"],
      ["How a cluster is reached, and its controller's options", "ebb describe cluster prod"],
    ],
    run: describe,
  });
}

async function describe(session: Session, line: CommandLine<DescribeOptions>): Promise<number> {
  const { args, options } = line;
  const targets = (await queriesOf(session, line)).map(({ resource: { name }, ...rest }) => ({
    resource: { name },
    ...rest,
  }));
  if (targets.some(({ resource }) => resource.name === "events"))
    throw failure("events have no description: see `ebb get events`");
  const reading = someAtATime(targets, { limit: 1, signal: session.signal }, (target) =>
    find(session, target, options),
  );
  const findings = await session.out.during("Reading the table", reading);
  const [only] = findings;
  if (args.length === 2 && only?.missing.length === 1 && findings.length === 1) {
    const texts = await describeByPrefix(session, only, options.showEvents ?? false);
    if (texts !== undefined) {
      session.out.write(texts);
      return 0;
    }
  }
  const all = findings.flatMap(({ scope, found }) => found.map((one) => ({ name: scope.resource.name, found: one })));
  const counts = findings.map(({ scope: { names }, found }) => names?.length ?? found.length);
  const showEvents = options.showEvents ?? counts.reduce((sum, count) => sum + count, 0) === 1;
  const bounds = { limit: readsAtATime, signal: session.signal };
  const texts = await someAtATime(all, bounds, ({ name, found }) => describers[name](session, found, showEvents));
  session.out.write(texts.join("\n\n"));
  const [first] = findings;
  if (all.length === 0 && first?.scope.names === undefined && first)
    await noteNothing(session, locationOf(first.scope));
  return (await reportMissing(session, findings, false)) ? 1 : 0;
}

/** Undefined: no name begins with it. */
async function describeByPrefix(
  session: Session,
  { scope, missing: [prefix = ""] }: Listing,
  showEvents: boolean,
): Promise<string | undefined> {
  const { names: _names, ...all } = scope;
  const { found } = await findObjects(session, all);
  const begun = found.filter(({ name }) => name.startsWith(prefix));
  if (begun.length === 0) return undefined;
  const bounds = { limit: readsAtATime, signal: session.signal };
  const texts = await someAtATime(begun, bounds, (one) => describers[scope.resource.name](session, one, showEvents));
  return texts.map((text) => `${text}\n`).join("");
}

type Describer = (session: Session, found: Found, showEvents: boolean) => Promise<string>;

const describers: Readonly<Record<ResourceName, Describer>> = {
  hpa: describeFoundHpa,
  clusters: async ({ entries, signal, out }, { cluster }) => {
    const [entry, hpas, sources] = await Promise.all([
      stored(entries.get({ kind: "Cluster", cluster, name: cluster }, signal), cluster),
      entries.list("HorizontalPodAutoscaler", { cluster }, signal),
      entries.list("MetricSource", { cluster }, signal),
    ]);
    const lines = describeCluster(entry.document, clusterIn(entry), { hpas: hpas.length, sources: sources.length });
    return describeLines(lines, alignFor(out.terminal));
  },
  sources: ({ out }, found) =>
    Promise.resolve(found.type === "sources" ? describeSource(found, alignFor(out.terminal)) : ""),
  events: () => Promise.resolve(""),
};

async function describeFoundHpa(session: Session, found: Found, showEvents: boolean): Promise<string> {
  const { cluster, namespace = "", name, object } = found;
  const align = alignFor(session.out.terminal);
  if ("invalid" in found && found.type === "hpa")
    return describeLines(describeInvalid({ namespace, name }, found.invalid), align);
  const served = object as HorizontalPodAutoscaler;
  const now = session.now();
  const held = "facts" in found ? heldTexts(found.facts, now) : [];
  const described = (events: readonly RecordedEvent[] | undefined) =>
    align(hpaDescription(served, events, now, held), { minWidth: 0, padding: 2 });
  if (!showEvents) return described(undefined);
  const key = keyNamed(namespace, name);
  const [recorded] = await session.store.events({ cluster, from: key, to: `${key}\u0000` }, session.signal);
  if (recorded?.broken !== undefined) session.out.warn(`the events of ${key}: ${recorded.broken}`);
  return described(recorded?.events ?? []);
}

/** Each hold of the last decision, in the words of `ebb explain`. */
function heldTexts(facts: HpaFacts, now: EpochMs): readonly string[] {
  const times = localTimes(now);
  return (explanationOf(facts, now).decision?.holds ?? []).map((hold) => describeHold(hold, times));
}

async function stored(reading: Promise<StoredEntry | undefined>, name: string): Promise<StoredEntry> {
  const entry = await reading;
  if (entry === undefined) throw failure(`${name} was deleted while it was read`);
  return entry;
}
