/**
 * ESC and CR as kubectl (EscapeTerminal, cli-runtime pkg/printers/terminal.go); others that a terminal acts on as
 * \u009b. Line ends and tabs are the layout.
 */
export function escapeTerminal(text: string): string {
  return text
    .replaceAll("\x1b", "^[")
    .replaceAll("\r", "\\r")
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
      character === "\n" || character === "\t" ? character : codeOf(character),
    );
}

/** A name must not begin a line of its own. */
export function escapeLine(text: string): string {
  return escapeTerminal(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

export interface TerminalSize {
  readonly terminal?: unknown;
}

/** Unescaped in JSON and YAML: DEL, C1 controls, bidi marks, line breaks. */
const acted = String.raw`\x7f-\x9f\p{Bidi_Control}\u2028\u2029`;

/** They are only in texts. */
export function escapeJson(json: string, { terminal }: TerminalSize): string {
  return terminal === undefined ? json : json.replace(new RegExp(`[${acted}]`, "gu"), codeOf);
}

export function isActedOn(text: string, { terminal }: TerminalSize): boolean {
  return terminal !== undefined && new RegExp(`[${acted}]`, "u").test(text);
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
