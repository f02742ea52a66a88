const betweenDocuments = /(?:\s|(?<=^|\n)---[ \t]*(?=\r?\n))*/y;
const ofJson = /"(?:[^"\\]|\\.)*"|[^"{}[\]]+|[{}[\]]/gsy;

/** `{…}{…}`: what `jq -c` and several answers of kubectl give. Empty: something else. */
export function jsonInRow(text: string): readonly { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  let at = skipped(text, 0);
  while (at < text.length) {
    if (text.charAt(at) !== "{") return [];
    const end = endOfObject(text, at);
    if (end === undefined) return [];
    found.push({ start: at, end });
    at = skipped(text, end);
  }
  return found;
}

function skipped(text: string, from: number): number {
  betweenDocuments.lastIndex = from;
  betweenDocuments.test(text);
  return betweenDocuments.lastIndex;
}

function endOfObject(text: string, start: number): number | undefined {
  let open = 0;
  ofJson.lastIndex = start;
  for (let part = ofJson.exec(text); part !== null; part = ofJson.exec(text)) {
    const [token] = part;
    if (token === "{" || token === "[") open += 1;
    else if (token === "}" || token === "]") open -= 1;
    if (open === 0) return ofJson.lastIndex;
  }
  return undefined;
}
