import { comparableSpec } from "../k8s/comparable-spec";
import { decodeStored } from "../k8s/codec/decode-stored";
import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import { isMap } from "../k8s/map";
import { isDeepStrictEqual } from "node:util";
import { operationAnnotations } from "../model/entry/annotations";
import { formatSeconds } from "../k8s/time";
import type { EntryDocument, StoredEntry } from "../model/ports/entries";
import { misnamed } from "./items/resource-items";

export interface NextEntry {
  readonly change: "created" | "configured" | "unchanged";
  readonly document: EntryDocument;
}

export interface Birth {
  /** Epoch ms. */
  readonly at: number;
  readonly uid: string;
}

/**
 * The document replaces spec, labels and annotations, except annotations that operations set (pause, dry run) and it
 * does not name. docs/decisions/0012-apply-replaces.md
 */
export function nextEntry(stored: StoredEntry | undefined, given: EntryDocument, birth: Birth): NextEntry {
  const desired = desiredFields(given);
  if (stored === undefined) {
    const initial = { creationTimestamp: formatSeconds(birth.at), generation: 1, uid: birth.uid };
    return { change: "created", document: { ...given, metadata: metadataOf(initial, desired) } };
  }
  const operations = { ...desiredFields(canonical(stored)).operations, ...desired.operations };
  return changed(stored, given, { ...desired, operations });
}

/** For a document that shows the whole entry, as an editor does: also replaces the annotations that operations set. */
export function editedEntry(stored: StoredEntry, given: EntryDocument): NextEntry {
  return changed(stored, given, desiredFields(given));
}

function changed(stored: StoredEntry, given: EntryDocument, next: DesiredFields): NextEntry {
  const before = desiredFields(canonical(stored));
  // A write gives a misnamed entry the name of its key.
  if (misnamed(stored) === undefined && isDeepStrictEqual({ ...next, names: null }, { ...before, names: null })) {
    return { change: "unchanged", document: stored.document };
  }
  const kept = metadataIn(stored.document);
  const generation = keepsSpec(stored, given) ? {} : { generation: generationOf(kept) + 1 };
  // A status in the given document is out of date.
  const { status: _status, ...decided } = given;
  const metadata = metadataOf({ ...kept, ...generation }, next);
  return { change: "configured", document: { ...stored.document, ...decided, metadata } };
}

/** Ignores what apply leaves alone: operations and the status. */
export function isSameDesired(one: StoredEntry, other: StoredEntry): boolean {
  const [a, b] = [one, other].map((entry) => ({ ...desiredFields(canonical(entry)), operations: null, names: null }));
  return isDeepStrictEqual(a, b);
}

type Members = Readonly<Record<string, unknown>>;

/** The server sets the rest of the metadata (uid, generation, …). */
interface DesiredFields {
  readonly names: Members;
  readonly spec: unknown;
  readonly labels: Members;
  readonly annotations: Members;
  readonly operations: Members;
}

function desiredFields(document: EntryDocument): DesiredFields {
  const { name, namespace, labels, annotations } = metadataIn(document);
  const all = Object.entries(isMap(annotations) ? annotations : {});
  const isOperation = ([key]: readonly [string, unknown]) => operationAnnotations.includes(key);
  return {
    names: namespace === undefined ? { name } : { name, namespace },
    spec: document["spec"],
    labels: isMap(labels) ? labels : {},
    annotations: Object.fromEntries(all.filter((entry) => !isOperation(entry) && entry[0] !== lastApplied)),
    operations: Object.fromEntries(all.filter(isOperation)),
  };
}

/** kubectl's record of its own last apply, to another store. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function metadataOf(kept: Members, { names, labels, annotations, operations }: DesiredFields): Members {
  const { labels: _labels, annotations: _annotations, ...others } = kept;
  const maps = { labels, annotations: { ...annotations, ...operations } };
  const written = Object.entries(maps).filter(([, members]) => Object.keys(members).length > 0);
  return { ...others, ...names, ...Object.fromEntries(written) };
}

/** An HPA with its defaults. One that cannot be read stays as it is, so it differs from every valid one. */
function canonical(stored: StoredEntry): EntryDocument {
  const hpa = storedHpa(stored);
  return hpa === undefined ? stored.document : { ...hpa };
}

function storedHpa(
  { ref, document }: StoredEntry,
  fields: "exact" | "known" = "exact",
): HorizontalPodAutoscaler | undefined {
  return ref.kind === "HorizontalPodAutoscaler" ? decodeStored(document, fields) : undefined;
}

/** Another spelling of a quantity, a default that is spelled out or an unknown field makes no new generation. */
function keepsSpec(stored: StoredEntry, given: EntryDocument): boolean {
  const before = storedHpa(stored, "known");
  const after = before === undefined ? undefined : decodeStored(given, "known");
  if (before === undefined || after === undefined) return isDeepStrictEqual(given["spec"], stored.document["spec"]);
  return isDeepStrictEqual(comparableSpec(before.spec), comparableSpec(after.spec));
}

function metadataIn(document: EntryDocument): Members {
  const { metadata } = document;
  return isMap(metadata) ? metadata : {};
}

/** An entry written by hand may have none. As upstream, its next one is the first. */
function generationOf({ generation }: Members): number {
  return Number.isSafeInteger(generation) ? (generation as number) : 0;
}
