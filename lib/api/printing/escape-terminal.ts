/** What a terminal would act on, made visible, as kubectl does. Upstream: EscapeTerminal, cli-runtime pkg/printers/terminal.go. */
export function escapeTerminal(text: string): string {
  return text.replaceAll("\x1b", "^[").replaceAll("\r", "\\r");
}
