/** What a token is: one of the literals, a word, or the end. */
export type TokenKind = "identifier" | "in" | "notin" | "end" | "(" | ")" | "," | "!" | "=" | "==" | "!=" | ">" | "<";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const symbols = new Set<string>([")", ",", "!", "==", "=", ">", "<", "!=", "("]);

/** Splits a selector's text. The last token is always the end. */
export function scanSelector(text: string): Token[] {
  const tokens: Token[] = [];
  // Upstream reads a NUL as the end of the text.
  const nul = text.indexOf("\0");
  const end = nul === -1 ? text.length : nul;
  let at = 0;
  while (at < end) {
    const character = text.charAt(at);
    if (isSpace(character)) {
      at += 1;
      continue;
    }
    const token = isSymbol(character) ? scanSymbol(text, at, end) : scanWord(text, at, end);
    tokens.push(token);
    at += token.text.length;
  }
  tokens.push({ kind: "end", text: "" });
  return tokens;
}

/** The longest symbol that starts here: "==" before "=". Every single symbol character is a symbol itself. */
function scanSymbol(text: string, at: number, end: number): Token {
  const two = text.slice(at, Math.min(at + 2, end));
  const literal = symbols.has(two) ? two : text.charAt(at);
  return { kind: literal as TokenKind, text: literal };
}

function scanWord(text: string, at: number, end: number): Token {
  let to = at;
  while (to < end && !isSpace(text.charAt(to)) && !isSymbol(text.charAt(to))) to += 1;
  const word = text.slice(at, to);
  return { kind: word === "in" || word === "notin" ? word : "identifier", text: word };
}

function isSpace(character: string): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

function isSymbol(character: string): boolean {
  return "=!(),><".includes(character);
}
