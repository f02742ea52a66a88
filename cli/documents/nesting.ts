/** Far beyond any document of Kubernetes, far below what a recursive parser survives. */
const DEEPEST = 500;

/** Whether a text nests so deeply, by brackets or by indentation, that parsing it could exhaust the stack. */
export function nestsTooDeeply(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === "[" || character === "{") open += 1;
    else if (character === "]" || character === "}") open -= 1;
    if (open > DEEPEST) return true;
  }
  return text.split("\n").some((line) => leadingMarks(line) > DEEPEST);
}

/** Every level of a block costs one column at least: a space, or the mark of a list or of a key. */
function leadingMarks(line: string): number {
  let at = 0;
  while (at < line.length && " -?:".includes(line.charAt(at))) at += 1;
  return at;
}
