/** Where Go's YAML begins to look for a space to break a line at. */
const WIDTH = 80;

/** Characters beyond U+FFFF never stand in Go's YAML as they are (yaml-scalar.ts), so these stand for something else on the way. */
const FIRST_MARK = 0x10000;

/** A space at which a line may be broken; the next one is indented by so many spaces. */
export function foldMark(indent: number): string {
  return String.fromCodePoint(FIRST_MARK + indent);
}

/**
 * Breaks lines at the first marked space after 80 characters; every other mark is a space again. A line break within double quotes
 * takes the spaces after it along, so the first of those is escaped.
 * Upstream: yaml_emitter_write_plain_scalar and its like, emitterc.go.
 */
export function foldLines(text: string): string {
  let column = 0;
  return text.replace(/[^]/gu, (character, at: number) => {
    const indent = (character.codePointAt(0) ?? 0) - FIRST_MARK;
    const breaks = indent >= 0 && column > WIDTH;
    column = character === "\n" ? 0 : breaks ? indent : column + 1;
    if (indent < 0) return character;
    return breaks ? `\n${" ".repeat(indent)}${text.startsWith(" ", at + 2) ? "\\" : ""}` : " ";
  });
}
