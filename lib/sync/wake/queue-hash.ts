import { fnv1a } from "../../model/fnv1a";

/** SQS allows no longer names. */
export const longestName = 80;

/** Of a name, a URL or an ARN. */
export function queueName(queue: string): string {
  return queue.slice(Math.max(queue.lastIndexOf("/"), queue.lastIndexOf(":")) + 1);
}

/** Undefined: no queue has such a name. */
export function hashOfName(name: string): number | undefined {
  return name === "" || name.length > longestName ? undefined : fnv1a(`=${name}`);
}

/** Undefined: no queue's name begins so. */
export function hashOfPrefix(prefix: string): number | undefined {
  return prefix === "" || prefix.length > longestName ? undefined : fnv1a(`^${prefix}`);
}

/** What an index that names this queue has one of: its name, or one of the prefixes that it begins with. */
export function hashesFor(name: string): readonly number[] {
  const prefixes = Array.from({ length: Math.min(name.length, longestName) }, (_, index) => name.slice(0, index + 1));
  return [hashOfName(name), ...prefixes.map(hashOfPrefix)].filter((hash) => hash !== undefined);
}

/** Whether an ascending list has the number. */
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
