/** The quoted text at `start` of `source`: what it says, and where it ends. @throws SyntaxError */
export function readQuoted(source: string, start: number): { readonly text: string; readonly end: number } {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === quote) return { text: unquoted(source.slice(start + 1, at)), end: at + 1 };
  }
  throw new SyntaxError(`unterminated quoted string: ${source.slice(start)}`);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** Go's escapes, as far as people write them in templates. */
function unquoted(inner: string): string {
  return inner.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/gs, (_, escape: string) =>
    escape.length > 1 ? String.fromCodePoint(parseInt(escape.slice(1), 16)) : (escapes[escape] ?? escape),
  );
}
