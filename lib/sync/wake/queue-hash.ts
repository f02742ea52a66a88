import { fnv1a } from "../../model/fnv1a";

/** SQS's limit. */
export const longestName = 80;

/** `queue`: a name, a URL or an ARN. */
export function queueName(queue: string): string {
  return queue.slice(Math.max(queue.lastIndexOf("/"), queue.lastIndexOf(":")) + 1);
}

/** Undefined: no queue is named so. */
export function hashOfName(name: string): number | undefined {
  return name === "" || name.length > longestName ? undefined : fnv1a(`=${name}`);
}

/** Undefined: no queue is named so. */
export function hashOfPrefix(prefix: string): number | undefined {
  return prefix === "" || prefix.length > longestName ? undefined : fnv1a(`^${prefix}`);
}

/** An index that names this queue has one of these. */
export function hashesFor(name: string): readonly number[] {
  const prefixes = Array.from({ length: Math.min(name.length, longestName) }, (_, index) => name.slice(0, index + 1));
  return [hashOfName(name), ...prefixes.map(hashOfPrefix)].filter((hash) => hash !== undefined);
}

/** `sorted`: ascending. */
export function includesSorted(sorted: Uint32Array, value: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] ?? 0;
    if (found === value) return true;
    if (found < value) low = middle + 1;
    else high = middle;
  }
  return false;
}
