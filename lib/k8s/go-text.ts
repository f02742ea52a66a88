/** As encoding/json: escapes lone surrogates, and what could end a script element. */
export function goJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\\ufffd");
}

const named: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Go's %q. */
export function goQuote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`; // as nearly all names
  return `"${Array.from(text, escape).join("")}"`;
}

function escape(character: string): string {
  const name = named.get(character);
  if (name !== undefined) return name;
  if (printable.test(character)) return character;
  if (/\p{Cs}/u.test(character)) return "\ufffd";
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}

/** Upstream's limits count UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Cuts no character in half. */
export function cutText(text: string, mostBytes: number): string {
  if (text.length * 3 <= mostBytes || byteLength(text) <= mostBytes) return text;
  const bytes = new TextEncoder().encode(text.slice(0, mostBytes)).slice(0, mostBytes - 4);
  return `${new TextDecoder().decode(bytes).replace(/\uFFFD+$/, "")}…`;
}

/** Undefined: no boolean. Source: https://pkg.go.dev/strconv#ParseBool */
export function parseGoBool(text: string): boolean | undefined {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  return ["0", "f", "F", "FALSE", "false", "False"].includes(text) ? false : undefined;
}
