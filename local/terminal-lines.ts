import type { styleText } from "node:util";

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Without line ends. */
export interface Cells {
  readonly start: string;
  readonly who: string;
  readonly sign: { readonly text: string; readonly style: Parameters<typeof styleText>[0] };
  readonly text: string;
}

const gap = "  ";
/** The indentation of continued text under long names. */
const indent = 10;
const leastRoom = 30;
/** The HPA's conditions have the rest. */
const mostLines = 8;

/** Columns grow with their contents; text breaks at the terminal's width. */
export function layOut({
  columns = () => Infinity,
  paint = (_, text) => text,
}: {
  readonly columns?: () => number;
  readonly paint?: Paint;
}): (cells: Cells) => readonly string[] {
  const widths = { who: 0, sign: 0 };
  return ({ start, who, sign, text }) => {
    const width = columns();
    // A long name does not push the other texts to the right.
    if (who.length <= width / 2) widths.who = Math.max(widths.who, who.length);
    widths.sign = Math.max(widths.sign, sign.text.length);
    const begin = `${start}${gap}${who.padEnd(widths.who)}${gap}`;
    const padded = sign.text.padEnd(widths.sign);
    const column = begin.length + padded.length + gap.length;
    const painted = (rest: string) => `${begin}${paint(sign.style, sign.text)}${rest}`.trimEnd();
    if (width - column >= leastRoom) {
      const [first = "", ...more] = cut(broken(text, width - column));
      const spaces = padded.slice(sign.text.length) + gap;
      return [painted(`${spaces}${first}`), ...more.map((line) => " ".repeat(column) + line)];
    }
    const below = cut(broken(text, width - indent)).map((line) => " ".repeat(indent) + line);
    if (begin.length + sign.text.length <= width) return [painted(""), ...below];
    const [head = "", ...names] = broken(begin.trimEnd(), width - indent);
    return [head, ...[...names, paint(sign.style, sign.text)].map((line) => " ".repeat(indent) + line), ...below];
  };
}

/** For a shell, to be copied: broken lines end in a backslash. */
export function brokenCommand(start: string, command: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = start;
  for (const word of command.split(" ")) {
    if (line.trim() !== "" && line !== start && line.length + word.length + 3 > width) {
      lines.push(`${line} \\`);
      line = `${" ".repeat(start.length + 1)}${word}`;
    } else line += line === start ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** Breaks at spaces; a longer word after a separator, if any. */
function broken(text: string, width: number): readonly string[] {
  const room = Math.max(width, 1);
  const lines: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const space = rest.lastIndexOf(" ", room);
    const end = space > 0 ? space : (separatorIn(rest.slice(0, room)) ?? room);
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** Between parts of a URL or a list, in the text's second half. */
function separatorIn(text: string): number | undefined {
  const end = /^.*[/,:=]/s.exec(text)?.[0].length ?? 0;
  return end > text.length / 2 ? end : undefined;
}

function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= mostLines) return lines;
  const last = lines[mostLines - 1] ?? "";
  return [...lines.slice(0, mostLines - 1), `${last.slice(0, -1)}…`];
}
