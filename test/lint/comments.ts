/** Texts and templates first, so that a `//` within one is no comment. A regular expression may hold a quote. */
const parts =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[(,=:[!&|?{};]\s*)\/(?![/*])(?:[^\\/\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|(\/\/.*(?:\n[ \t]*\/\/.*)*|\/\*[^]*?\*\/)/g;

/** The comments of a file without their marks. Adjacent lines are one. */
export function commentsIn(code: string): readonly string[] {
  return [...code.matchAll(parts)].flatMap(([, comment]) => (comment === undefined ? [] : [textOf(comment)]));
}

function textOf(comment: string): string {
  const inner = comment.startsWith("//") ? comment.replace(/^[ \t]*\/\/ ?/gm, "") : comment.slice(2, -2);
  return inner.replace(/^[ \t]*\*+ ?/gm, "").trim();
}

export function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

/** "Of what the item holds", "What is left over": a reader has to find the rest of the sentence. */
export function isElliptical(comment: string): boolean {
  return /^(Of|What|Whether|Who)\b/.test(comment);
}
