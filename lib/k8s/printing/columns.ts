/** What a terminal would act on, made visible, as kubectl does. Upstream: EscapeTerminal, cli-runtime pkg/printers/terminal.go. */
export function escapeTerminal(text: string): string {
  return text.replaceAll("\x1b", "^[").replaceAll("\r", "\\r");
}

interface Alignment {
  /** The least width of a column, padding included. */
  readonly minWidth: number;
  /** Spaces between a column's longest cell and the next column. */
  readonly padding: number;
}

/**
 * Aligns cells that end in a tab. A column reaches over neighbouring lines that have a cell there, and its width is theirs alone: the
 * part of Go's text/tabwriter that kubectl's output is made with. A line's last cell belongs to no column.
 */
export function alignColumns(text: string, alignment: Alignment): string {
  const rows = text.split("\n").map((line) => line.split("\t"));
  const widths = rows.map((): number[] => []);
  measure(rows, widths, 0, alignment);
  return rows
    .map((cells, row) => cells.map((cell, column) => pad(cell, widths[row]?.[column] ?? 0)).join(""))
    .join("\n");
}

/** Measures `column` and, within each run of lines that share it, the columns to its right. */
function measure(
  rows: readonly (readonly string[])[],
  widths: readonly number[][],
  column: number,
  alignment: Alignment,
): void {
  let start = 0;
  while (start < rows.length) {
    let end = start;
    let width = alignment.minWidth;
    for (; end < rows.length && hasCell(rows[end], column); end += 1) {
      width = Math.max(width, lengthOf(rows[end]?.[column]) + alignment.padding);
    }
    if (end > start) {
      for (const row of widths.slice(start, end)) row.push(width);
      measure(rows.slice(start, end), widths.slice(start, end), column + 1, alignment);
    }
    start = Math.max(end, start + 1);
  }
}

function hasCell(cells: readonly string[] | undefined, column: number): boolean {
  return cells !== undefined && column < cells.length - 1;
}

/** In characters, as Go counts them, not in the halves of some that JavaScript counts. */
function lengthOf(cell = ""): number {
  return Array.from(cell).length;
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - lengthOf(cell)));
}
