import type { Command } from "commander";
import { present } from "../../lib/k8s/map";
import { matches } from "../../lib/k8s/selector";
import { isFault } from "../../lib/model/fault";
import { kinds } from "../../lib/model/entry/kinds";
import type { EntryRef } from "../../lib/model/ports/entries";
import { labelsOf } from "../../lib/read/found";
import { dryRunSuffix } from "../shell/input/document-options";
import type { GivenDocument } from "./documents/read-given";
import { readPlaced } from "./place-documents";
import { objectName } from "./report";
import { entryFailure, failureText, isEntryFailure, isFailure } from "../shell/failure";
import { reportMissing } from "../look/get/read-hpas";
import { resourceOfKind, selectorFor } from "../shell/input/find";
import { eachInOrder, runsOf } from "../shell/in-order";
import { isByFile } from "./documents/query-files";
import type { Session } from "../shell/session";
import { tableVerb } from "../shell/table-verb";
import type { CliEnvironment } from "../shell/environment";
import { addDeleteFlags, checkDeleteFlags, type DeleteFlags, withContents, doomedBy } from "./doomed";
import { sourceWarnings } from "./users-of-source";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import { adviceText } from "../shell/advice/print";
import { advice } from "../shell/advice/table";
import { kubectlTarget } from "../shell/input/parse-targets";
import { type Attempt, onLatest } from "./overwrite";

/** The next sync deletes state, events and decisions. */
export function deleteCommand(environment: CliEnvironment): Command {
  return tableVerb<DeleteFlags>(environment, {
    name: "delete",
    summary: "Delete HPAs, clusters or metric sources from the table.",
    description:
      "Delete hpa, clusters or sources from the table, by name, by label or by file. The workload stays as it is.",
    arguments: [["[TYPE | TYPE/NAME]", "hpa, clusters, sources"], ["[NAME...]"]],
    options: addDeleteFlags,
    examples: [
      ["One HPA", "ebb delete hpa web -n shop"],
      ["What a file describes", "ebb delete -f hpa.yaml"],
      ["See what a label would delete", "ebb delete hpa -l app=web --dry-run"],
      ["A cluster with all its HPAs and metric sources", "ebb delete cluster prod --cascade"],
    ],
    async run(session, line) {
      const { args, options } = line;
      checkDeleteFlags(args, options);
      if (!isByFile(options)) return await deleteNamed(session, args, options);
      const wanted = (await readPlaced(line, session)).filter(selectedBy(options));
      if (wanted.length === 0) session.out.print("No resources found");
      return (await deleteAll(session, wanted, options)) ? 0 : 1;
    },
  });
}

/** As in kubectl, -l filters documents by their own labels. */
function selectedBy({ selector }: DeleteFlags): (placed: GivenDocument) => boolean {
  if (selector === undefined) return () => true;
  return ({ ref, document }) => matches(selectorFor(selector, resourceOfKind[ref.kind]), labelsOf(document));
}

async function deleteNamed(session: Session, args: readonly string[], options: DeleteFlags): Promise<number> {
  const { refs, findings } = await doomedBy(session, args, options);
  const wanted = refs.map((ref) => ({ ref }));
  const done = await deleteAll(session, wanted, options);
  const missed = await reportMissing(session, findings, options.ignoreNotFound ?? false);
  if (refs.length === 0 && !missed && findings.every(({ scope }) => scope.names === undefined))
    session.out.print("No resources found");
  return done && !missed ? 0 : 1;
}

interface Wanted {
  readonly ref: EntryRef;
  readonly place?: string;
}

/** Deletes in order. Reports each failure, and continues. @returns true: all are gone */
async function deleteAll(session: Session, wanted: readonly Wanted[], options: DeleteFlags): Promise<boolean> {
  let isDone = true;
  const failed = (error: unknown, { ref, place }: Wanted): boolean => {
    if (!isFailure(error) && !isFault(error, "lost")) return false;
    if (isMissing(error, ref) && options.ignoreNotFound === true) return true;
    isDone = false;
    session.out.note(failureText(error) + (place === undefined ? "" : ` (${place})`));
    return true;
  };
  for (const run of runsOf(wanted)) {
    if (run[0]?.ref.kind !== "Cluster") await deleteRun(session, run, options, failed);
    else for (const cluster of run) await deleteCluster(session, cluster, options, failed);
  }
  return isDone;
}

/** The cluster stays if some of its contents do. */
async function deleteCluster(
  session: Session,
  wanted: Wanted,
  options: DeleteFlags,
  failed: (error: unknown, wanted: Wanted) => boolean,
): Promise<void> {
  try {
    const refs = await withContents(wanted.ref, options.cascade ?? false, session);
    for (const run of runsOf(refs.map((ref) => ({ ref })))) await deleteRun(session, run, options);
  } catch (error) {
    if (!failed(error, wanted)) throw error;
  }
}

/** Deletes concurrently. */
async function deleteRun(
  session: Session,
  run: readonly Wanted[],
  options: DeleteFlags,
  failed?: (error: unknown, wanted: Wanted) => boolean,
): Promise<void> {
  const { out, entries, signal } = session;
  const warn = warnings(session, run);
  await eachInOrder(session, run, {
    doing: ({ ref }) => `deleting ${objectName(ref)}`,
    async call({ ref }) {
      const warning = await warn(ref);
      if (options.dryRun === "none") await removeEntry(ref, session);
      else if ((await entries.get(ref, signal)) === undefined) throw entryFailure("NotFound", ref);
      return warning;
    },
    done(warning, { ref }) {
      const from = ref.namespace === undefined ? "" : ` from ${ref.namespace} namespace`;
      const said = `${kinds[ref.kind].singular} "${ref.name}" deleted${from}${dryRunSuffix[options.dryRun]}`;
      out.print(options.output === "name" ? objectName(ref) : said);
      if (warning !== undefined) out.warn(warning);
    },
    ...present({ failed }),
  });
}

function warnings(session: Session, run: readonly Wanted[]): (ref: EntryRef) => Promise<string | undefined> {
  const refs = run.map(({ ref }) => ref);
  const ofSource = sourceWarnings(session, refs);
  return async (ref) => {
    if (ref.kind === "HorizontalPodAutoscaler") return await zeroWarning(session, ref);
    return ref.kind === "MetricSource" ? await ofSource(ref) : undefined;
  };
}

/** False: an entry is missing that --cascade deletes before `ref`. */
function isMissing(error: unknown, ref: EntryRef): boolean {
  return isEntryFailure(error) && error.reason === "NotFound" && error.ref === ref;
}

/** Nothing wakes a workload that its deleted HPA scaled to zero. */
async function zeroWarning(
  { store, signal, callerFor }: Pick<Session, "store" | "signal" | "callerFor">,
  { cluster, namespace = "", name }: EntryRef,
): Promise<string | undefined> {
  const key = `${namespace}/${name}`;
  const { hpas, states, cluster: entry } = await store.load({ cluster, from: key, to: `${key}\u0000` }, signal);
  const conditions = states[key]?.status.conditions ?? [];
  const { hpa } = validateHpa(hpas[0]?.document, { assumeKind: true });
  if (hpa === undefined || !conditions.some(({ type, status }) => type === "ScaledToZero" && status === "True"))
    return undefined;
  const target = kubectlTarget(hpa);
  const caller = await callerFor(["value" in entry ? entry.value : undefined]);
  return `${target} is at zero and stays there; ${adviceText(advice.wake({ cluster, namespace, name, target }), caller)}`;
}

/**
 * A delete by name means any version, so others may change the entry meanwhile. @throws Failure when the entry does not
 * exist, or keeps changing
 */
async function removeEntry(ref: EntryRef, { entries, signal }: Pick<Session, "entries" | "signal">): Promise<void> {
  await onLatest(ref, await entries.get(ref, signal), async (stored): Promise<Attempt<void>> => {
    const outcome = await entries.remove(stored, signal);
    return outcome.done ? { done: true, result: undefined } : outcome;
  });
}
