import fastStringWidth from "fast-string-width";

/** In columns of a terminal: two for a wide character or an emoji, none for a combining mark. */
export function textWidth(text: string): number {
  return fastStringWidth(text);
}

/** With an ellipsis if it is cut. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return "";
  let kept = "";
  let taken = 0;
  // Segments are characters as people see them: an accent stays with its letter, and a family is one emoji.
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
