import { secretMark } from "../../local/guard/signature";

const mark = "c4n4ry";

/** A secret text that no other text contains. `name` says where it was planted. */
export function canary(name: string): string {
  return `${mark}-${name}-${mark}`;
}

/** What no output may hold: a canary, a secret that ebb made up for a local server, a private key. */
const kinds = [
  { mark, whole: mark },
  { mark: secretMark, whole: `${secretMark}[\\w-]{40}` },
  { mark: "PRIVATE KEY-----", whole: "PRIVATE KEY-----(?:\\s|\\\\[rn])*[A-Za-z0-9+/]{40}" },
];
const secret = kinds.map(({ whole }) => whole).join("|");
const plain = new RegExp(secret, "g");
const lengthBefore = 120;
const withItsLine = new RegExp(`.{0,${lengthBefore}}(?:${secret}).{0,60}`, "y");

/** The marks at any of the three offsets of base64, without the characters that their neighbours change. */
const encoded = kinds.flatMap((kind) =>
  ["", "x", "xx"].map((before) =>
    Buffer.from(`${before}${kind.mark}`)
      .toString("base64")
      .replace(/=+$/, "")
      .slice(before.length + 1, -2),
  ),
);
const marks = [...kinds.map((kind) => kind.mark), ...encoded];

/** The secrets in `text`, also in base64. */
export function canariesIn(text: string | Buffer): readonly string[] {
  // Most texts and files hold no mark.
  if (!marks.some((each) => text.includes(each))) return [];
  const all = text.toString("latin1");
  return [...linesOf(all), ...encoded.filter((part) => all.includes(part)).map((part) => `base64 ${part}`)];
}

/** Each secret with its line around it. An expression that may begin anywhere in a bundle takes seconds. */
function linesOf(all: string): readonly string[] {
  const found: string[] = [];
  for (let end = 0; ; end = withItsLine.lastIndex) {
    plain.lastIndex = end;
    const index = plain.exec(all)?.index;
    if (index === undefined) return found;
    const before = all.slice(Math.max(end, index - lengthBefore), index);
    withItsLine.lastIndex = index - before.length + Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
    found.push(...(withItsLine.exec(all) ?? []));
  }
}
