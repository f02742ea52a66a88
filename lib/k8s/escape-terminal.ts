/**
 * Escapes ESC and CR as kubectl does (EscapeTerminal, cli-runtime pkg/printers/terminal.go), and, as \u009b, other
 * control characters and those that reorder text or break lines. Line ends and tabs stay: they are the layout.
 */
export function escapeTerminal(text: string): string {
  return text
    .replaceAll("\x1b", "^[")
    .replaceAll("\r", "\\r")
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
      character === "\n" || character === "\t" ? character : codeOf(character),
    );
}

/** For a text within a line: a name cannot begin a line that ebb did not print. */
export function escapeLine(text: string): string {
  return escapeTerminal(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** `terminal`: only on a terminal are documents escaped. */
export interface TerminalSize {
  readonly terminal?: unknown;
}

/** Characters that JSON and YAML print unescaped and a terminal acts on: DEL, C1 controls, bidi marks, line breaks. */
const acted = String.raw`\x7f-\x9f\p{Bidi_Control}\u2028\u2029`;

/** In JSON, these characters are only in texts. */
export function escapeJson(json: string, { terminal }: TerminalSize): string {
  return terminal === undefined ? json : json.replace(new RegExp(`[${acted}]`, "gu"), codeOf);
}

export function isActedOn(text: string, { terminal }: TerminalSize): boolean {
  return terminal !== undefined && new RegExp(`[${acted}]`, "u").test(text);
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
