import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { Output, Style } from "../output";

/** Two texts that have one name on both sides. */
export interface Compared {
  /** "autoscaling.v2.HorizontalPodAutoscaler.shop.web" */
  readonly name: string;
  /** Empty: nothing stands. */
  readonly live: string;
  readonly merged: string;
}

/** As `diff -u -N` writes it of the folders LIVE and MERGED, which `kubectl diff` calls; "" when the texts are the same. */
export function unifiedDiff({ name, live, merged }: Compared, style: Output["style"] = plain): string {
  if (live === merged) return "";
  const [left, right] = [`LIVE/${name}`, `MERGED/${name}`];
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(left, right, live, merged, undefined, undefined, options);
  const lines = [`diff -u -N ${left} ${right}`, ...patch.trimEnd().split("\n")];
  return lines.map((line, index) => `${style(styleOf(line, index), line)}\n`).join("");
}

const headerLines = 3;

function styleOf(line: string, index: number): Style {
  if (index < headerLines) return "bold";
  const styles: Readonly<Record<string, Style>> = { "@": "cyan", "-": "red", "+": "green" };
  return styles[line.charAt(0)] ?? "reset";
}

function plain(_: Style, text: string): string {
  return text;
}
