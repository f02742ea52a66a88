import { secretMark } from "../../local/guard/credential";

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
const plain = new RegExp(`.{0,120}(?:${kinds.map(({ whole }) => whole).join("|")}).{0,60}`, "g");

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
  return [...(all.match(plain) ?? []), ...encoded.filter((part) => all.includes(part)).map((part) => `base64 ${part}`)];
}
