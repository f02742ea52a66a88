import { alignColumns } from "../../lib/api/printing/align-columns";
import { escapeTerminal } from "../../lib/api/printing/escape-terminal";

/** Lines of a name, a tab and what it says, all in one column; headings, which say nothing, stand among them. */
export function describeLines(lines: readonly string[]): string {
  const cells = lines.map((line) => (line.includes("\t") ? line : `${line}\t`));
  const text = alignColumns(escapeTerminal(`${cells.join("\n")}\n`), { minWidth: 0, padding: 2 });
  return text.replace(/ +$/gm, "");
}
