import { measure, type Size } from "../size";
import { keyOfParts, type Parameters, queryKey } from "./query-key";

export interface FoundSource {
  readonly kind: "source";
  readonly source: string;
  readonly parameters: Parameters;
  readonly operands?: readonly FoundOperand[];
}

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

export interface SourceParts {
  readonly source: string;
  readonly metricName: string;
  /** The SOURCE entry's; `labels` override them. */
  readonly own?: Parameters | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

const partsOf = new WeakMap<FoundSource, SourceParts>();
const keys = new WeakMap<FoundSource, string>();

/** A thousand metrics share one entry's parameters: merged only when read. */
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

export function withOperands(found: FoundSource, operands: readonly FoundOperand[]): FoundSource {
  const parts = partsOf.get(found);
  return parts === undefined ? { ...found, operands } : foundSource(parts, operands);
}

export function mergedParameters({ own = {}, labels }: Pick<SourceParts, "own" | "labels">): Parameters {
  return labels === undefined ? own : { ...own, ...labels };
}

export function looseParameters(found: FoundSource): Parameters {
  const parts = partsOf.get(found);
  return parts === undefined ? found.parameters : mergedParameters(parts);
}

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
/** Query, key and answer. */
const memoryOfQuery = 1_024;

/** At most, in bytes. */
export function memoryOfFound(found: FoundSource): number {
  return memoryOfQuery + 2 * sizeOfParameters(found).memory + sumOfOperands(found, memoryOfFound);
}

/** As a table counts them. */
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
