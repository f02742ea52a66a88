const mark = "c4n4ry";

/** A secret text that no other text contains. `name` says where it was planted. */
export function canary(name: string): string {
  return `${mark}-${name}-${mark}`;
}

/** The planted texts in `text`, also in base64. */
export function canariesIn(text: string): readonly string[] {
  const plain = text.match(new RegExp(`.{0,120}${mark}.{0,60}`, "g")) ?? [];
  // The mark at any of the three offsets of base64, without the characters that its neighbours change.
  const encoded = ["", "x", "xx"].map((before) =>
    Buffer.from(`${before}${mark}`)
      .toString("base64")
      .replace(/=+$/, "")
      .slice(before.length + 1, -2),
  );
  const inBase64 = encoded.filter((part) => text.includes(part)).map((part) => `base64 ${part}`);
  return [...plain, ...inBase64];
}
