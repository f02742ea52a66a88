export interface Alignment {
  readonly minWidth: number;
  readonly padding: number;
}

/**
 * Go's text/tabwriter: a column spans adjacent lines that have a cell there. A line's last cell belongs to no column.
 */
export function alignColumns(text: string, alignment: Alignment, lengthOf: LengthOf = charactersOf): string {
  const rows = text.split("\n").map((line) => line.split("\t"));
  const widths = rows.map((): number[] => []);
  measure({ rows, widths, lengthOf, ...alignment }, 0);
  const pad = (cell: string, width: number) => cell + " ".repeat(Math.max(0, width - lengthOf(cell)));
  return rows
    .map((cells, row) => cells.map((cell, column) => pad(cell, widths[row]?.[column] ?? 0)).join(""))
    .join("\n");
}

type LengthOf = (cell: string) => number;

interface Measured extends Alignment {
  readonly rows: readonly (readonly string[])[];
  readonly widths: readonly number[][];
  readonly lengthOf: LengthOf;
}

/** Measures `column` and, within each run of lines that share it, the columns to its right. */
function measure(measured: Measured, column: number): void {
  const { rows, widths, lengthOf, minWidth, padding } = measured;
  let start = 0;
  while (start < rows.length) {
    let end = start;
    let width = minWidth;
    for (; end < rows.length && hasCell(rows[end], column); end += 1) {
      width = Math.max(width, lengthOf(rows[end]?.[column] ?? "") + padding);
    }
    if (end > start) {
      for (const row of widths.slice(start, end)) row.push(width);
      measure({ ...measured, rows: rows.slice(start, end), widths: widths.slice(start, end) }, column + 1);
    }
    start = Math.max(end, start + 1);
  }
}

function hasCell(cells: readonly string[] | undefined, column: number): boolean {
  return cells !== undefined && column < cells.length - 1;
}

/** JavaScript counts some characters as two. */
function charactersOf(cell: string): number {
  return Array.from(cell).length;
}
