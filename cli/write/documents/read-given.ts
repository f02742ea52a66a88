import { isDeepStrictEqual } from "node:util";
import { scaledObjectProblems } from "../../set-up/import/keda/problems";
import { objectName } from "../report";
import type { Readable } from "node:stream";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { isMap, present } from "../../../lib/k8s/map";
import type { EntryContent, EntryRef } from "../../../lib/model/ports/entries";
import { failure } from "../../shell/failure";
import { authenticationsIn, type FindAuthentication } from "../../set-up/import/keda/authentication";
import { convertScaledObject } from "../../set-up/import/keda/convert-scaled-object";
import { isOfKeda, noteLines, whyLeftOut } from "../../set-up/import/keda/left-over";
import { type CheckedDocument, checkDocument, type GivenRef, unusableErrors, type Where } from "./check-document";
import { isForeign } from "./foreign";
import { type Position, readDocuments, type SourceDocument } from "../../shell/input/read-documents";
import { type Input, readInputs } from "../../shell/input/read-inputs";

/** `place`: "file:line:column". */
export interface GivenDocument<Ref extends GivenRef = EntryRef> extends CheckedDocument {
  readonly ref: Ref;
  readonly place: string;
  /** The place of a field, else of its nearest parent. */
  readonly placeOf?: (field: string) => string;
  /** A problem, in the words of what it was converted from. */
  readonly inWords?: (problem: string) => string;
  /** Only if it is no valid new entry. @throws Failure if it is no valid next version of `stored` either */
  readonly admit?: (stored: Pick<EntryContent, "document"> | undefined) => void;
}

/** One line for each problem, beginning with its place. */
export interface Refused {
  readonly problems: readonly string[];
  readonly update?: PossibleUpdate;
}

/** An invalid new entry that may be a valid next version of what the table has there. */
export interface PossibleUpdate {
  readonly ref: GivenRef;
  readonly against: (stored: EntryContent["document"]) => GivenDocument<GivenRef> | Refused;
}

export interface Reading {
  /** The namespace of an HPA that names none. With `enforceNamespace`, another namespace is an error. */
  readonly namespace: string;
  readonly enforceNamespace?: boolean;
  /** ScaledObjects are foreign otherwise. */
  readonly importKeda?: boolean;
}

interface SortedOut {
  /** The kinds of foreign objects. */
  readonly skipped: readonly string[];
  readonly notes: readonly string[];
}

export type Checked = GivenDocument<GivenRef> | Refused;

export interface CheckedInputs extends SortedOut {
  readonly checked: readonly Checked[];
}

export interface Given extends SortedOut {
  readonly documents: readonly GivenDocument<GivenRef>[];
}

/** @throws Failure with one line for each problem; one bad document refuses all */
export function readGiven(inputs: readonly Input[], reading: Reading): Given {
  const { checked, ...sortedOut } = checkGiven(inputs, reading);
  refuse(checked);
  return { ...sortedOut, documents: validAmong(checked) };
}

export function validAmong<Valid extends GivenDocument<GivenRef>>(checked: readonly (Valid | Refused)[]): Valid[] {
  return checked.flatMap((one) => ("problems" in one ? [] : [one]));
}

export function problemsAmong(checked: readonly (object | Refused)[]): readonly string[] {
  return checked.flatMap((one) => ("problems" in one ? one.problems : []));
}

/** @throws Failure with one line for each problem */
export function refuse(checked: readonly (object | Refused)[]): void {
  const problems = problemsAmong(checked);
  if (problems.length > 0) throw failure(problems.join("\n"));
}

/** Each document is valid or has its problems. */
export function checkGiven(inputs: readonly Input[], reading: Reading): CheckedInputs {
  const [skipped, notes]: [string[], string[]] = [[], []];
  const checked: Checked[] = [];
  const given = inputs.flatMap(({ name: input, text }) => readDocuments(text).map((source) => ({ input, source })));
  const objects = given.flatMap(({ source }) => ("value" in source && isMap(source.value) ? [source.value] : []));
  const authentications = authenticationsIn(objects, reading.namespace);
  for (const { input, source } of given) {
    const at = ({ line, column }: Position) => `${input}:${line}:${column}`;
    const converted =
      reading.importKeda === true
        ? convertedFrom(source, { place: at(source), namespace: reading.namespace, authentications })
        : undefined;
    const value = "value" in source ? source.value : source.about;
    const isWanted = reading.importKeda === true && isMap(value) && isOfKeda(value) && value["kind"] === "ScaledObject";
    if (converted === undefined && !isWanted && isForeign(value)) {
      const { kind, apiVersion } = value;
      skipped.push(whyLeftOut(value) === undefined || isOfKeda(value) ? kind : `${kind} of ${apiVersion}`);
      continue;
    }
    notes.push(...(converted?.notes ?? []));
    if (converted?.problems !== undefined) checked.push({ problems: converted.problems });
    checked.push(...(converted?.sources ?? [source]).map((one) => checkSource(one, reading, at)));
  }
  return { checked: refuseTwice(checked), skipped, notes };
}

export function refuseTwice<Document extends GivenDocument<GivenRef>>(
  given: readonly (Document | Refused)[],
): readonly (Document | Refused)[] {
  const first = new Map<string, Document>();
  return given.map((one) => {
    // Without a name, it gets one of its own.
    if ("problems" in one || one.ref.name === "") return one;
    const name = JSON.stringify([one.ref.kind, one.ref.cluster, one.ref.namespace, one.ref.name]);
    const other = first.get(name);
    if (other === undefined) first.set(name, one);
    if (other === undefined || isDeepStrictEqual(other.document, one.document)) return one;
    const problem = `${objectName(one.ref)} is there twice, and the two differ: the other is at ${other.place}. Keep one`;
    return { problems: [`${one.place}: ${problem}`] };
  });
}

interface Conversion {
  readonly place: string;
  readonly namespace: string;
  readonly authentications: FindAuthentication;
}

type ConvertedDocument = SourceDocument & Pick<GivenDocument, "inWords">;

interface Converted {
  readonly sources: readonly ConvertedDocument[];
  readonly notes: readonly string[];
  readonly problems?: readonly string[];
}

/** Undefined: not an object of KEDA's. */
function convertedFrom(source: SourceDocument, { place, ...context }: Conversion): Converted | undefined {
  if ("error" in source || !isMap(source.value)) return undefined;
  const { line, column, value } = source;
  const leftOut = whyLeftOut(value);
  if (leftOut !== undefined) return { sources: [], notes: [`${place}: ${String(value["kind"])} ${leftOut}`] };
  if (value["kind"] !== "ScaledObject") return undefined;
  const at = (lines: readonly string[]) => lines.map((text) => `${place}: ${text}`);
  const wrong = scaledObjectProblems(value);
  if (wrong.length > 0) return { sources: [], notes: [], problems: at(wrong) };
  const { documents, notes, problems, inWords } = convertScaledObject(value, { annotations: {}, ...context });
  const said = at(noteLines(notes));
  if (problems.length > 0) return { sources: [], notes: said, problems: at(problems) };
  const locate = () => ({ line, column });
  return { sources: documents.map((document) => ({ line, column, value: document, locate, inWords })), notes: said };
}

type At = (position: Position) => string;

const asItIs = (problem: string) => problem;

function checkSource(source: ConvertedDocument, reading: Reading, at: At, stored?: EntryContent["document"]): Checked {
  const { inWords = asItIs } = source;
  if ("error" in source) return { problems: [`${at(source)}: ${source.error}`] };
  const result = checkDocument(source.value, reading.namespace, present({ stored, numbers: source.numbers }));
  if ("errors" in result) {
    const hasNoKind = isMap(source.value) && source.value["kind"] === undefined;
    const subject = hasNoKind ? "The document is invalid" : invalidSubject(kindAndName(source.value));
    const lines = result.errors.map(
      ({ path, text }) => `${at(source.locate(path))}: ${inWords(`${subject}: ${text}`)}`,
    );
    const problems = [...new Set(lines)];
    const { ref } = result;
    if (ref === undefined || namespaceProblem(ref, reading) !== undefined) return { problems };
    return { problems, update: { ref, against: (before) => checkSource(source, reading, at, before) } };
  }
  const { checked } = result;
  const elsewhere = namespaceProblem(checked.ref, reading);
  if (elsewhere !== undefined) return { problems: [`${at(source.locate("metadata.namespace"))}: ${elsewhere}`] };
  return { ...checked, place: at(source), placeOf: (field: string) => at(source.locate(field)), inWords };
}

function kindAndName(given: unknown): Subject {
  const { kind, metadata } = (given ?? {}) as { readonly kind?: unknown; readonly metadata?: unknown };
  const { name } = (metadata ?? {}) as { readonly name?: unknown };
  return {
    kind: typeof kind === "string" && kind !== "" ? kind : "HorizontalPodAutoscaler",
    name: typeof name === "string" ? name : "",
  };
}

interface Subject {
  readonly kind: string;
  readonly name: string;
}

/** As in kubectl. */
function invalidSubject({ kind, name }: Subject): string {
  return `The ${kind} ${JSON.stringify(name)} is invalid`;
}

/** In the words of cli-runtime's RequireNamespace. */
function namespaceProblem({ namespace: own }: GivenRef, { namespace, enforceNamespace }: Reading): string | undefined {
  if (enforceNamespace !== true || own === undefined || own === namespace) return undefined;
  return `the namespace from the provided object "${own}" does not match the namespace "${namespace}". You must pass '--namespace=${own}' to perform this operation.`;
}

/** Refuses a valid document that cannot work there, too. */
export function checkUsable(one: Checked, where: Where): Checked {
  if ("problems" in one) return one;
  const problems = unusableProblems(one, where);
  return problems.length === 0 ? one : { problems };
}

/** Each line is a problem of a valid document in this table, and begins with its place. */
export function unusableProblems(given: GivenDocument<GivenRef>, where: Where): readonly string[] {
  const { ref, place, placeOf = () => place, inWords = asItIs } = given;
  return unusableErrors(given, where).map(
    ({ path, text }) => `${placeOf(path)}: ${inWords(`${invalidSubject(ref)}: ${text}`)}`,
  );
}

/** With defaults. @throws Failure with file, line and field of each invalid document */
export async function readHpas(files: readonly string[], stdin: Readable): Promise<readonly HorizontalPodAutoscaler[]> {
  const { documents } = readGiven(await readInputs(files, { stdin }), { namespace: "default" });
  const other = documents.find(({ ref }) => ref.kind !== "HorizontalPodAutoscaler");
  if (other !== undefined)
    throw failure(`${other.place}: kind: expected HorizontalPodAutoscaler, got ${other.ref.kind}`);
  return documents.map(({ document }) => document as unknown as HorizontalPodAutoscaler);
}
