/**
 * Escapes what a terminal would act on: ESC and CR as kubectl does (EscapeTerminal, cli-runtime
 * pkg/printers/terminal.go), and, as \u009b, the other control characters and those that reorder text or break its
 * lines. Line ends and tabs stay: they are the layout.
 */
export function escapeTerminal(text: string): string {
  return text
    .replaceAll("\x1b", "^[")
    .replaceAll("\r", "\\r")
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
      character === "\n" || character === "\t" ? character : codeOf(character),
    );
}

/** As escapeTerminal, for a text within a line: a name cannot end the line and begin one that ebb did not print. */
export function escapeLine(text: string): string {
  return escapeTerminal(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Where a document goes. On a terminal, it is printed with the escapes of its format for what a terminal acts on. */
export interface TerminalSize {
  readonly terminal?: unknown;
}

/** What JSON or YAML print as it is and a terminal acts on: DEL, C1 controls, marks that reorder text, line breaks. */
const acted = String.raw`\x7f-\x9f\p{Bidi_Control}\u2028\u2029`;

/** Of JSON, in which these characters are only in texts. */
export function escapeJson(json: string, { terminal }: TerminalSize): string {
  return terminal === undefined ? json : json.replace(new RegExp(`[${acted}]`, "gu"), codeOf);
}

export function isActedOn(text: string, { terminal }: TerminalSize): boolean {
  return terminal !== undefined && new RegExp(`[${acted}]`, "u").test(text);
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
