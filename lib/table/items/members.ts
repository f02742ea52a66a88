/** A member of a map as JSON. Its value is neither parsed nor checked. */
export interface Member {
  readonly name: string;
  readonly value: Buffer;
}

/** No values of ours are deeper. Who walks through them would run out of stack. */
const deepest = 64;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The members of a map, one after another, so that a reader may stop, or skip a value by its name, before it costs
 * anything: JSON.parse of a text needs up to 20 times its bytes.
 *
 * @throws SyntaxError for what is no map. Values are not checked.
 */
export function* membersOf(text: Buffer): Generator<Member> {
  let at = afterSpace(text, expect(text, afterSpace(text, 0), OPEN_BRACE));
  for (let isFirst = true; text[at] !== CLOSE_BRACE; isFirst = false) {
    if (!isFirst) at = afterSpace(text, expect(text, at, COMMA));
    const nameEnd = endOfText(text, expect(text, at, QUOTE));
    const name = JSON.parse(text.toString("utf8", at, nameEnd)) as string;
    const valueAt = expect(text, afterSpace(text, nameEnd), COLON);
    at = endOfValue(text, valueAt);
    yield { name, value: text.subarray(valueAt, at) };
  }
  if (afterSpace(text, at + 1) !== text.length) throw unexpected(text, at + 1);
}

function endOfValue(text: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) at = endOfText(text, at + 1) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > deepest) throw unexpected(text, at);
    } else if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACE)) return at;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
  }
  throw unexpected(text, text.length);
}

/** After the quote that ends the text. */
function endOfText(text: Buffer, from: number): number {
  for (let at = from; ; at += 1) {
    at = text.indexOf(QUOTE, at);
    if (at === -1) throw unexpected(text, text.length);
    let backslashes = 0;
    while (text[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function expect(text: Buffer, at: number, byte: number): number {
  if (text[at] !== byte) throw unexpected(text, at);
  return at + 1;
}

/** JSON's white space. */
function afterSpace(text: Buffer, from: number): number {
  let at = from;
  while (text[at] === 0x20 || text[at] === 0x0a || text[at] === 0x0d || text[at] === 0x09) at += 1;
  return at;
}

function unexpected(text: Buffer, at: number): SyntaxError {
  const found = at < text.length ? `byte ${text[at]}` : "its end";
  return new SyntaxError(`expected a map as JSON, at most ${deepest} levels deep, got ${found} at ${at}`);
}
