import fastStringWidth from "fast-string-width";

/** The columns of a terminal that a text takes: two for a wide character or an emoji, none for a combining mark. */
export function textWidth(text: string): number {
  return fastStringWidth(text);
}

/** The text, or its beginning and an ellipsis, in at most so many columns of a terminal. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return "";
  let kept = "";
  let taken = 0;
  // As people see characters: an accent stays with its letter, and a family is one emoji.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    taken += textWidth(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** As cutText; of `Deployment/orders` the kind is cut before the name: `Depl…/orders`. */
export function cutCell(cell: string, width: number): string {
  if (textWidth(cell) <= width) return cell;
  const [, kind, name] = /^([A-Za-z][\w.]*)\/([^\s/]+)$/.exec(cell) ?? [];
  if (kind === undefined || name === undefined || width < 6) return cutText(cell, width);
  const room = Math.max(1, width - textWidth(name) - 1);
  return `${cutText(kind, room)}/${cutText(name, width - room - 1)}`;
}

/** Lines of at most so many columns, broken at spaces; a word that is wider is cut. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.length === 0 ? word : `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && textWidth(line) <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.map((line) => cutText(line, width));
}
