import { someAtATime } from "../../../lib/async/semaphore";
import type { EntryContent } from "../../../lib/model/ports/entries";
import { failure } from "../../shell/failure";
import type { Session } from "../../shell/session";
import type { GivenRef } from "./check-document";
import {
  type Checked,
  type GivenDocument,
  type PossibleUpdate,
  type Refused,
  refuse,
  refuseTwice,
  validAmong,
} from "./read-given";

export type Placing = Pick<Session, "settings" | "entries" | "signal">;

const readsAtATime = 8;

/** Each with its entry, or its problems. An invalid new entry may be a valid next version of what the table has. */
export async function placeEach(checked: readonly Checked[], session: Placing): Promise<readonly Placed[]> {
  const cluster = await clusterFor(checked.flatMap(refsOf), session);
  const { entries, signal } = session;
  const placed = await someAtATime(checked, { limit: readsAtATime, signal }, async (one): Promise<Placed> => {
    if (!("problems" in one)) return { ...one, ref: { cluster, ...one.ref } };
    if (one.update === undefined) return one;
    const ref = { cluster, ...one.update.ref };
    const stored = await entries.get(ref, signal);
    if (stored === undefined) return one;
    const next = one.update.against(stored.document);
    return "problems" in next ? next : { ...next, ref, admit: admitting(one, one.update) };
  });
  return refuseTwice(placed);
}

type Placed = GivenDocument | Refused;

/** @throws Failure with one line for each problem; one bad document refuses all */
export async function placeChecked(checked: readonly Checked[], session: Placing): Promise<readonly GivenDocument[]> {
  if (!checked.some((one) => "problems" in one && one.update !== undefined)) refuse(checked);
  const placed = await placeEach(checked, session);
  refuse(placed);
  return validAmong(placed);
}

function refsOf(one: Checked): readonly { readonly ref: GivenRef }[] {
  if (!("problems" in one)) return [one];
  return one.update === undefined ? [] : [one.update];
}

/** Others may change or delete the entry before it is written. */
function admitting(asNew: Refused, update: PossibleUpdate) {
  return (stored: Pick<EntryContent, "document"> | undefined) =>
    refuse([stored === undefined ? asNew : update.against(stored.document)]);
}

/**
 * For documents that name none: the command's, else the only one of table or documents.
 * @throws Failure for several, or none
 */
async function clusterFor(given: readonly { readonly ref: GivenRef }[], session: Placing): Promise<string> {
  return given.some(({ ref }) => ref.cluster === undefined) ? await onlyCluster(given, session) : "";
}

async function onlyCluster(
  given: readonly { readonly ref: GivenRef }[],
  { settings, entries, signal }: Placing,
): Promise<string> {
  if (settings.cluster !== undefined) return settings.cluster;
  const stored = await entries.list("Cluster", {}, signal);
  const clusters = [...stored, ...given.filter(({ ref }) => ref.kind === "Cluster")];
  const names = [...new Set(clusters.map(({ ref }) => ref.name))];
  const [only, ...others] = names;
  if (only === undefined) throw failure("the table has no cluster yet: apply one first, or together with these files");
  if (others.length === 0) return only;
  throw failure(`there are ${names.length} clusters (${names.sort().join(", ")}): choose one with --cluster`);
}
