/**
 * The largest share for each HPA with which all of them together take at most `most`. But at least one: a new shard may
 * have more HPAs than queries that a turn sends, until the next tick splits it.
 *
 * @param least 0 where nothing may be beyond `most`.
 */
export function fairShare(wants: readonly number[], most: number, least: 0 | 1 = 1): number {
  const ascending = [...wants].sort((a, b) => a - b);
  let left = most;
  for (const [index, want] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (want > share) return Math.max(least, share);
    left -= want;
  }
  return Infinity;
}
