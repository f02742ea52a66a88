import { type Operator, type Requirement, type Selector, SelectorError, checkKey, newRequirement } from "./requirement";

type TokenKind = "identifier" | "in" | "notin" | "end" | "(" | ")" | "," | "!" | "=" | "==" | "!=" | ">" | "<";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const symbols = new Set<string>([")", ",", "!", "==", "=", ">", "<", "!=", "("]);

function scanSelector(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  // A NUL ends the text for upstream.
  while (at < text.length && text[at] !== "\0") {
    const character = text.charAt(at);
    if (isSpace(character)) {
      at += 1;
      continue;
    }
    const token = isSymbol(character) ? scanSymbol(text, at) : scanWord(text, at);
    tokens.push(token);
    at += token.text.length;
    if (text[at] === "\0") at += 1;
  }
  tokens.push({ kind: "end", text: "" });
  return tokens;
}

function scanSymbol(text: string, at: number): Token {
  const two = text.slice(at, at + 2);
  const literal = symbols.has(two) ? two : text.charAt(at);
  return { kind: literal as TokenKind, text: literal };
}

/** There may be thousands. */

const wordPattern = /[^\0 \t\r\n=!(),><]*/y;

function scanWord(text: string, at: number): Token {
  wordPattern.lastIndex = at;
  const [word = ""] = wordPattern.exec(text) ?? [];
  return { kind: word === "in" || word === "notin" ? word : "identifier", text: word };
}

function isSpace(character: string): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

function isSymbol(character: string): boolean {
  return "=!(),><".includes(character);
}

interface Cursor {
  peek(): Token;
  read(): Token;
}

/**
 * `app=web,tier in (a,b),!canary,load>5`. Upstream: labels.Parse, apimachinery pkg/labels/selector.go. @throws
 * SelectorError
 */
export function parseSelector(text: string): Selector {
  const tokens = cursor(scanSelector(text));
  const requirements: Requirement[] = [];
  for (;;) {
    const next = tokens.peek();
    if (next.kind === "end") break;
    if (!isWord(next) && next.kind !== "!") {
      throw new SelectorError(`found '${next.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(readRequirement(tokens));
    if (!readSeparator(tokens)) break;
  }
  return { kind: "requirements", requirements: sortByKey(requirements) };
}

export function sortByKey(requirements: readonly Requirement[]): Requirement[] {
  return [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function cursor(tokens: readonly Token[]): Cursor {
  const end: Token = { kind: "end", text: "" };
  let at = 0;
  return {
    peek: () => tokens[at] ?? end,
    read: () => tokens[at++] ?? end,
  };
}

/** A label may be called "in". */
function isWord(token: Token): boolean {
  return token.kind === "identifier" || token.kind === "in" || token.kind === "notin";
}

/** false: the text ends here. */
function readSeparator(tokens: Cursor): boolean {
  const token = tokens.read();
  if (token.kind === "end") return false;
  if (token.kind !== ",") throw new SelectorError(`found '${token.text}', expected: ',' or 'end of string'`);
  const next = tokens.peek();
  if (!isWord(next) && next.kind !== "!") {
    throw new SelectorError(`found '${next.text}', expected: identifier after ','`);
  }
  return true;
}

function readRequirement(tokens: Cursor): Requirement {
  try {
    return requirement(tokens);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new SelectorError(`unable to parse requirement: ${error.message}`);
  }
}

function requirement(tokens: Cursor): Requirement {
  const negated = tokens.peek().kind === "!";
  if (negated) tokens.read();
  const key = tokens.read();
  if (!isWord(key)) throw new SelectorError(`found '${key.text}', expected: identifier`);
  checkKey(key.text);
  if (negated) return newRequirement(key.text, "!", []);
  const next = tokens.peek().kind;
  if (next === "end" || next === ",") return newRequirement(key.text, "exists", []);
  const operator = readOperator(tokens);
  const values = operator === "in" || operator === "notin" ? readValues(tokens) : [readValue(tokens)];
  return newRequirement(key.text, operator, [...new Set(values)].sort());
}

function readOperator(tokens: Cursor): Operator {
  const token = tokens.read();
  switch (token.kind) {
    case "in":
    case "notin":
    case "=":
    case "==":
    case "!=":
      return token.kind;
    case ">":
      return "gt";
    case "<":
      return "lt";
    default:
      throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

/** Empty in `a=`. */
function readValue(tokens: Cursor): string {
  const next = tokens.peek();
  if (next.kind === "end" || next.kind === ",") return "";
  tokens.read();
  if (!isWord(next)) throw new SelectorError(`found '${next.text}', expected: identifier`);
  return next.text;
}

/** `()`, `(,a)`, `(a,,b)`, `(a,)` have empty values. */
function readValues(tokens: Cursor): string[] {
  const open = tokens.read();
  if (open.kind !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
  const first = tokens.peek();
  if (first.kind === ")") {
    tokens.read();
    return [""];
  }
  if (!isWord(first) && first.kind !== ",") {
    throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values = readList(tokens);
  tokens.read();
  return values;
}

function readList(tokens: Cursor): string[] {
  const values: string[] = [];
  for (;;) {
    const token = tokens.read();
    const next = tokens.peek();
    if (isWord(token)) {
      values.push(token.text);
      if (next.kind === ")") return values;
      if (next.kind !== ",") throw new SelectorError(`found '${next.text}', expected: ',' or ')'`);
    } else if (token.kind === ",") {
      if (values.length === 0) values.push("");
      if (next.kind === ")") return [...values, ""];
      if (next.kind === ",") values.push("");
    } else {
      throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
    }
  }
}
