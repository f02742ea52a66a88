import type { Readable } from "node:stream";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { isMap } from "../../../lib/k8s/map";
import { failure } from "../../shell/failure";
import { authenticationsIn, type FindAuthentication } from "../../set-up/import/keda/authentication";
import { convertScaledObject } from "../../set-up/import/keda/convert-scaled-object";
import { whyLeftOut } from "../../set-up/import/keda/left-out";
import { type GivenDocument, type Reading, checkSource } from "./check-source";
import { isForeign } from "./foreign";
import { readDocuments, type SourceDocument } from "./read-documents";
import { type Input, readInputs } from "./read-inputs";

export interface GivenReading extends Omit<Reading, "input"> {
  /** Converts KEDA's ScaledObjects, which else are foreign. */
  readonly importKeda?: boolean;
}

interface SortedOut {
  /** The kind of each object that ebb has nothing to do with. */
  readonly skipped: readonly string[];
  /** What a ScaledObject loses. */
  readonly notes: readonly string[];
}

export interface CheckedDocuments extends SortedOut {
  readonly checked: readonly ReturnType<typeof checkSource>[];
}

export interface Given extends SortedOut {
  readonly documents: readonly GivenDocument[];
}

/**
 * All documents of the inputs.
 *
 * @throws Failure with one line per problem. A single bad document refuses all of them.
 */
export function readGiven(inputs: readonly Input[], reading: GivenReading): Given {
  const { checked, ...sortedOut } = checkGiven(inputs, reading);
  const problems = checked.flatMap((document) => ("problems" in document ? document.problems : []));
  if (problems.length > 0) throw failure(problems.join("\n"));
  return { ...sortedOut, documents: checked.flatMap((document) => ("problems" in document ? [] : [document])) };
}

/** All documents of the inputs, each valid or with its problems. */
export function checkGiven(inputs: readonly Input[], reading: GivenReading): CheckedDocuments {
  const [skipped, notes]: [string[], string[]] = [[], []];
  const checked: ReturnType<typeof checkSource>[] = [];
  const given = inputs.flatMap(({ name: input, text }) => readDocuments(text).map((source) => ({ input, source })));
  const objects = given.flatMap(({ source }) => ("value" in source && isMap(source.value) ? [source.value] : []));
  const authentications = authenticationsIn(objects, reading.namespace);
  for (const { input, source } of given) {
    const converted =
      reading.importKeda === true ? convertedFrom(source, input, { ...reading, authentications }) : undefined;
    if (converted === undefined && "value" in source && isForeign(source.value)) {
      skipped.push(source.value.kind);
      continue;
    }
    notes.push(...(converted?.notes ?? []));
    const sources = converted?.sources ?? [source];
    checked.push(...sources.map((one) => checkSource(one, { ...reading, input })));
  }
  return { checked, skipped, notes };
}

/** What an object of KEDA's becomes, at its place: an HPA and metric sources, or nothing; undefined: it is none. */
function convertedFrom(
  source: SourceDocument,
  input: string,
  { namespace, authentications }: GivenReading & { readonly authentications: FindAuthentication },
): { readonly sources: readonly SourceDocument[]; readonly notes: readonly string[] } | undefined {
  if ("error" in source || !isMap(source.value)) return undefined;
  const { kind, apiVersion } = source.value;
  if (typeof kind !== "string" || !String(apiVersion).startsWith("keda.sh/")) return undefined;
  const { line, column, value } = source;
  const place = `${input}:${line}:${column}`;
  const leftOut = whyLeftOut(kind);
  if (leftOut !== undefined) return { sources: [], notes: [`${place}: ${kind} ${leftOut}`] };
  if (kind !== "ScaledObject") return undefined;
  const { documents, notes } = convertScaledObject(value, { annotations: {}, namespace, authentications });
  return {
    sources: documents.map((document) => ({ line, column, value: document, locate: () => ({ line, column }) })),
    notes: notes.map(({ field, text }) => `${place}: ${field} ${text}`.replace(/\s+/g, " ")),
  };
}

/** The HPAs of some files, with defaults. @throws Failure with file, line and field of each invalid document */
export async function readHpas(files: readonly string[], stdin: Readable): Promise<readonly HorizontalPodAutoscaler[]> {
  const { documents } = readGiven(await readInputs(files, { stdin }), { namespace: "default" });
  const other = documents.find(({ kind }) => kind !== "HorizontalPodAutoscaler");
  if (other !== undefined) throw failure(`${other.place}: kind: expected HorizontalPodAutoscaler, got ${other.kind}`);
  return documents.map(({ document }) => document as unknown as HorizontalPodAutoscaler);
}
