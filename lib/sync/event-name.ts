import type { EpochMs } from "../core/situation";

/**
 * "<name>.<hex nanoseconds>", as upstream names an Event object by its first occurrence. What one sync emits has one moment here: `index` tells
 * its events apart.
 */
export function eventName(key: string, at: EpochMs, index: number): string {
  const name = key.slice(key.indexOf("/") + 1);
  return `${name}.${(BigInt(Math.floor(at)) * 1_000_000n + BigInt(index)).toString(16)}`;
}
