/** "unknown field (did you mean queue?), expected one of queue, region" */
export function unknownField(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  return `unknown field${meant === undefined ? "" : ` (did you mean ${meant}?)`}, expected one of ${known.join(", ")}`;
}

/** The candidate that a misspelt word most likely means; undefined: no candidate is near enough to suggest. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const needed = edits(word.toLowerCase(), candidate.toLowerCase());
    if (needed < fewest) [best, fewest] = [candidate, needed];
  }
  return best;
}

/** The edits between two texts: a character more, less, different, or swapped with its neighbour. */
function edits(from: string, to: string): number {
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
    [older, old] = [old, next];
  }
  return old[to.length] ?? 0;
}
