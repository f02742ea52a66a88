import { isDeepStrictEqual } from "node:util";
import { isMap } from "../model/check-schema";
import { operationAnnotations } from "../model/annotations";
import { formatSeconds } from "../k8s/time";
import { validateHpa } from "../k8s/validate/validate-hpa";
import type { EntryDocument, StandingEntry } from "./items/entry-item";

export interface NextEntry {
  readonly change: "created" | "configured" | "unchanged";
  readonly document: EntryDocument;
}

/** What a creation is given. */
export interface Birth {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly uid: string;
}

/**
 * The document that stands once a valid one is applied over what stands now. The given one is the truth for spec,
 * labels and annotations, but for the annotations that operations set (pause, resume, dry-run): those stay unless it
 * names them. What else stands stays, the status among it. docs/decisions/0012-apply-replaces.md
 */
export function nextEntry(standing: StandingEntry | undefined, given: EntryDocument, birth: Birth): NextEntry {
  const wish = wishOf(given);
  if (standing === undefined) {
    const born = { creationTimestamp: formatSeconds(birth.at), generation: 1, uid: birth.uid };
    return { change: "created", document: { ...given, metadata: metadataOf(born, wish) } };
  }
  const operations = { ...wishOf(canonical(standing)).operations, ...wish.operations };
  return changed(standing, given, { ...wish, operations });
}

/**
 * As nextEntry, of a document that shows all that stands, as an editor does: the annotations of operations are as it
 * says, too.
 */
export function editedEntry(standing: StandingEntry, given: EntryDocument): NextEntry {
  return changed(standing, given, wishOf(given));
}

function changed(standing: StandingEntry, given: EntryDocument, next: Wish): NextEntry {
  const before = wishOf(canonical(standing));
  if (isDeepStrictEqual({ ...next, names: null }, { ...before, names: null })) {
    return { change: "unchanged", document: standing.document };
  }
  const kept = metadataIn(standing.document);
  const generation = isDeepStrictEqual(next.spec, before.spec) ? {} : { generation: generationOf(kept) + 1 };
  // A status that the given document brings along is of another time.
  const { status: _status, ...decided } = given;
  const metadata = metadataOf({ ...kept, ...generation }, next);
  return { change: "configured", document: { ...standing.document, ...decided, metadata } };
}

/** Whether two readings of an entry differ only in what applying leaves alone: operations, the status. */
export function isSameWish(one: StandingEntry, other: StandingEntry): boolean {
  const [a, b] = [one, other].map((entry) => ({ ...wishOf(canonical(entry)), operations: null, names: null }));
  return isDeepStrictEqual(a, b);
}

type Members = Readonly<Record<string, unknown>>;

/**
 * What a user decides of an object; the rest of its metadata (uid, generation, managedFields, …) is the server's to
 * say.
 */
interface Wish {
  readonly names: Members;
  readonly spec: unknown;
  readonly labels: Members;
  readonly annotations: Members;
  /** The annotations that operations set. */
  readonly operations: Members;
}

function wishOf(document: EntryDocument): Wish {
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

/** kubectl's record of its own last apply is about another store than this table. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function metadataOf(kept: Members, { names, labels, annotations, operations }: Wish): Members {
  const { labels: _labels, annotations: _annotations, ...others } = kept;
  const marks = { labels, annotations: { ...annotations, ...operations } };
  const written = Object.entries(marks).filter(([, members]) => Object.keys(members).length > 0);
  return { ...others, ...names, ...Object.fromEntries(written) };
}

/**
 * An autoscaler defaulted, as a given one is. One that is no valid one is as it is, and so differs from every valid
 * one.
 */
function canonical({ ref, document }: StandingEntry): EntryDocument {
  if (ref.kind !== "HorizontalPodAutoscaler") return document;
  const { hpa } = validateHpa(document, { assumeKind: true });
  return hpa === undefined ? document : { ...hpa };
}

function metadataIn(document: EntryDocument): Members {
  const { metadata } = document;
  return isMap(metadata) ? metadata : {};
}

/** An entry that was written by hand, and has none, is of its first generation. */
function generationOf({ generation }: Members): number {
  return Number.isSafeInteger(generation) ? (generation as number) : 1;
}
