import { type Alignment, alignColumns } from "./columns";
import fastStringWidth from "fast-string-width";

/** Without a terminal, equals kubectl's output byte for byte. */
export function alignFor(
  terminal: { readonly columns: number } | undefined,
  header?: readonly string[],
): typeof alignColumns {
  if (terminal === undefined) return alignColumns;
  const fit = { width: terminal.columns, ...(header && { header }) };
  return (text, alignment) => fitColumns(text, alignment, fit);
}

export interface Fit {
  readonly width: number;
  readonly header?: readonly string[];
}

/**
 * Like alignColumns, but cuts cells to a terminal's width: text first, then references, values, and names last. The
 * values of `describe` continue on the next line instead.
 */
export function fitColumns(text: string, alignment: Alignment, { width, header }: Fit): string {
  const lines = alignColumns(text, alignment, textWidth).split("\n");
  const cells = text.split("\n").map((line) => line.split("\t"));
  const fitted: string[] = [];
  for (let start = 0; start < cells.length;) {
    const count = cells[start]?.length ?? 0;
    let end = start + 1;
    while (cells[end]?.length === count) end += 1;
    const aligned = lines.slice(start, end);
    const fits = aligned.every((line) => textWidth(line.trimEnd()) <= width);
    const table = { rows: cells.slice(start, end), width, header: header ?? cells[start] ?? [] };
    fitted.push(...(fits ? aligned : count === 2 && header === undefined ? fitPairs(table) : fitRows(table)));
    start = end;
  }
  return fitted.join("\n");
}

interface Fitting extends Required<Fit> {
  readonly rows: readonly (readonly string[])[];
}

function fitRows(fitting: Fitting): readonly string[] {
  const { widths, gap } = shrunk(fitting);
  return fitting.rows.map((cells) => {
    const cut = cells.map((cell, at) => padded(cutCell(cell, widths[at] ?? 0), (widths[at] ?? 0) + gap));
    return cutText(cut.join("").trimEnd(), fitting.width);
  });
}

function fitPairs(fitting: Fitting): readonly string[] {
  const {
    widths: [left = 0, right = 0],
    gap,
  } = shrunk(fitting);
  return fitting.rows.flatMap(([name = "", value = ""]) =>
    wrapText(value, right).map((part, at) => {
      const begin = padded(at === 0 ? cutText(name, left) : "", left + gap);
      return cutText(`${begin}${part}`, fitting.width);
    }),
  );
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

const references = ["OBJECT", "REFERENCE", "SUBOBJECT", "SOURCE", "FROM"];
const names = ["NAME", "NAMESPACE", "CLUSTER", "HPA", "$ A MONTH", "$ SO FAR"];

const losses: readonly { readonly loses: (name: string) => boolean; readonly least: number; readonly gap: number }[] = [
  { loses: (name) => !names.includes(name), least: 24, gap: 2 },
  { loses: (name) => references.includes(name), least: 9, gap: 2 },
  { loses: (name) => !names.includes(name), least: 12, gap: 2 },
  { loses: () => true, least: 12, gap: 1 },
  { loses: () => true, least: 6, gap: 1 },
];

const longestName = 16;

function shrunk({ rows, width, header }: Fitting): { readonly widths: readonly number[]; readonly gap: number } {
  const columns = (rows[0] ?? []).map((_, at) => {
    const name = (header[at] ?? "").trim().toUpperCase();
    const natural = rows.reduce((most, cells) => Math.max(most, textWidth(cells[at] ?? "")), 0);
    return { name, natural: Math.min(natural, width), least: Math.min(longestName, textWidth(name)) };
  });
  const widths = columns.map(({ natural }) => natural);
  let gap = 0;
  for (const loss of losses) {
    gap = loss.gap;
    const room = width - gap * (columns.length - 1);
    const floors = columns.map(({ name, least }) => (loss.loses(name) ? Math.max(loss.least, least) : Infinity));
    lower(widths, floors, room);
    if (sumOf(widths) <= room) break;
  }
  return { widths, gap };
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, its) => sum + its, 0);
}

function lower(widths: number[], floors: readonly number[], width: number): void {
  for (let excess = sumOf(widths) - width; excess > 0; excess -= 1) {
    let widest = -1;
    widths.forEach((its, at) => {
      if (its > (floors[at] ?? 0) && its > (widths[widest] ?? 0)) widest = at;
    });
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

/** In terminal columns: two for a wide character or an emoji, none for a combining mark. */
export function textWidth(text: string): number {
  return fastStringWidth(text);
}

export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return "";
  let kept = "";
  let taken = 0;
  // Characters as people see them: an accent stays with its letter, and a family is one emoji.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    taken += textWidth(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Cuts the kind of `Deployment/orders` first: `Depl…/orders`. */
export function cutCell(cell: string, width: number): string {
  if (textWidth(cell) <= width) return cell;
  const [, kind, name] = /^([A-Za-z][\w.]*)\/([^\s/]+)$/.exec(cell) ?? [];
  if (kind === undefined || name === undefined || width < 6) return cutText(cell, width);
  const room = Math.max(1, width - textWidth(name) - 1);
  return `${cutText(kind, room)}/${cutText(name, width - room - 1)}`;
}

export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.length === 0 ? word : `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && textWidth(line) <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.map((line) => cutText(line, width));
}
