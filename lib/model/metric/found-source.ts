import { measure, type Size } from "../size";
import { keyOfParts, type Parameters, queryKey } from "./query-key";

/** Where an External metric is read from, if that is one of our sources. */
export interface FoundSource {
  readonly kind: "source";
  readonly source: string;
  readonly parameters: Parameters;
  /** What it is made of, if it is calculated from other sources. */
  readonly operands?: readonly FoundOperand[];
}

/** The metric or its entry is invalid. `from` names which. */
export interface InvalidSource {
  readonly kind: "invalid";
  readonly error: string;
  readonly from: string;
}

export interface FoundOperand {
  readonly name: string;
  readonly metricName: string;
  readonly found: FoundSource | InvalidSource;
}

/** What a source is found by. */
export interface SourceParts {
  readonly source: string;
  readonly metricName: string;
  /** The parameters of its entry. */
  readonly own?: Parameters | undefined;
  /** The labels of the metric, which override them. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

const partsOf = new WeakMap<FoundSource, SourceParts>();
const keys = new WeakMap<FoundSource, string>();

/**
 * A thousand metrics share the parameters of one entry. They and the labels become one map only where the source is
 * read.
 */
export function foundSource(parts: SourceParts, operands?: readonly FoundOperand[]): FoundSource {
  let merged: Parameters | undefined;
  const found: FoundSource = {
    kind: "source",
    source: parts.source,
    get parameters() {
      return (merged ??= mergedParameters(parts));
    },
    ...(operands && { operands }),
  };
  partsOf.set(found, parts);
  return found;
}

/** The same, with what it is made of. */
export function withOperands(found: FoundSource, operands: readonly FoundOperand[]): FoundSource {
  const parts = partsOf.get(found);
  return parts === undefined ? { ...found, operands } : foundSource(parts, operands);
}

/** A map of its own for each caller, unless the metric has no labels. */
export function mergedParameters({ own = {}, labels }: Pick<SourceParts, "own" | "labels">): Parameters {
  return labels === undefined ? own : { ...own, ...labels };
}

/** The parameters, merged again for each caller: for a look at thousands of sources, of which few are read. */
export function looseParameters(found: FoundSource): Parameters {
  const parts = partsOf.get(found);
  return parts === undefined ? found.parameters : mergedParameters(parts);
}

/** Equal for equal queries of a source: queryKey. It is made once, without a text of large parameters. */
export function keyOfFound(found: FoundSource, metricName: string): string {
  const known = keys.get(found);
  if (known !== undefined) return known;
  const parts = partsOf.get(found);
  const key =
    parts === undefined
      ? queryKey(found.source, { metricName, parameters: found.parameters })
      : keyOfParts(parts.source, { ...parts, metricName });
  keys.set(found, key);
  return key;
}

const sizes = new WeakMap<object, Size>();
const nothing: Size = { bytes: 0, memory: 0 };
/** The query, its key, its place and its answer. */
const memoryOfQuery = 1_024;

/**
 * How much memory it takes to read the source, at most, in bytes: its parameters are merged, and the source makes a
 * form of its own of them.
 */
export function memoryOfFound(found: FoundSource): number {
  return memoryOfQuery + 2 * sizeOfParameters(found).memory + sumOfOperands(found, memoryOfFound);
}

/** As a table counts it. */
export function bytesOfFound(found: FoundSource): number {
  return sizeOfParameters(found).bytes + sumOfOperands(found, bytesOfFound);
}

function sumOfOperands({ operands = [] }: FoundSource, of: (found: FoundSource) => number): number {
  return operands.reduce((sum, { found }) => sum + (found.kind === "source" ? of(found) : 0), 0);
}

function sizeOfParameters(found: FoundSource): Size {
  const { own, labels } = partsOf.get(found) ?? { own: found.parameters, labels: undefined };
  const [a, b] = [sizeOnce(own), sizeOnce(labels)];
  return { bytes: a.bytes + b.bytes, memory: a.memory + b.memory };
}

function sizeOnce(part: object | undefined): Size {
  if (part === undefined) return nothing;
  const known = sizes.get(part) ?? measure(part);
  sizes.set(part, known);
  return known;
}
