/** What a story chooses from, by the name of the factor. */
export type Factors = Readonly<Record<string, readonly [string, ...string[]]>>;

export type Row<F extends Factors> = { readonly [Name in keyof F]: F[Name][number] };

/**
 * Rows in which every choice of any `strength` factors occurs together, by taking the row that adds most as often as
 * needed. Far fewer than all rows: faults that need each other are seldom more than three.
 */
export function coveringRows<F extends Factors>(factors: F, strength: number): readonly Row<F>[] {
  const all = allRows(factors).map((row) => ({ row, combinations: combinationsOf(row, strength) }));
  const left = new Set(all.flatMap(({ combinations }) => combinations));
  const rows: Row<F>[] = [];
  while (left.size > 0) {
    const counts = all.map(({ combinations }) => combinations.filter((each) => left.has(each)).length);
    const best = all[counts.indexOf(Math.max(...counts))];
    if (best === undefined) break;
    rows.push(best.row);
    for (const each of best.combinations) left.delete(each);
  }
  return rows;
}

export function allRows<F extends Factors>(factors: F): readonly Row<F>[] {
  return Object.entries(factors).reduce<readonly object[]>(
    (rows, [name, levels]) => rows.flatMap((row) => levels.map((level) => ({ ...row, [name]: level }))),
    [{}],
  ) as readonly Row<F>[];
}

/** Every choice of `strength` factors in this row, as text. */
export function combinationsOf(row: Readonly<Record<string, string>>, strength: number): readonly string[] {
  const chosen = Object.entries(row).map(([name, level]) => `${name}=${level}`);
  const pick = (from: number, count: number): readonly string[][] =>
    count === 0
      ? [[]]
      : chosen.slice(from).flatMap((one, index) => pick(from + index + 1, count - 1).map((rest) => [one, ...rest]));
  return pick(0, strength).map((parts) => parts.join(" "));
}
