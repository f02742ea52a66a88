/** "unknown field (did you mean queue?), expected one of queue, region" */
export function unknownFieldText(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  return `unknown field${meant === undefined ? "" : ` (did you mean ${meant}?)`}, expected one of ${known.join(", ")}`;
}

/** More edits make another word. */
const mostEdits = 8;

const longestWord = 256;

export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined;
  let best: string | undefined;
  let fewest = Math.min(mostEdits, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const needed = edits(word.toLowerCase(), candidate.toLowerCase(), fewest);
    if (needed < fewest) [best, fewest] = [candidate, needed];
  }
  return best;
}

/** Damerau-Levenshtein distance, at most `limit`. */
function edits(whole: string, other: string, limit: number): number {
  let start = 0;
  while (start < whole.length && whole[start] === other[start]) start += 1;
  const [from, to] = [whole.slice(start), other.slice(start)];
  let [older, old]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next[column] = Math.min(
        (old[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (old[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (older[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    // Rows never decrease, but a swap skips a row.
    if (Math.min(...next) > limit) return limit;
    [older, old] = [old, next];
  }
  return old[to.length] ?? 0;
}
