import { escapeTerminal } from "../../lib/k8s/printing/columns";
import type { Style } from "../output";

/** One thing that was looked at. `todo`: what mends it, a command to copy where there is one. */
export type Finding =
  | { readonly kind: "ok"; readonly what: string }
  | { readonly kind: "fail"; readonly what: string; readonly why: string; readonly todo: string }
  /** Could not be looked at from here; says nothing about how it stands. */
  | { readonly kind: "skipped"; readonly what: string; readonly why: string };

export function ok(what: string): Finding {
  return { kind: "ok", what };
}

export function fail(what: string, why: string, todo: string): Finding {
  return { kind: "fail", what, why, todo };
}

export function skipped(what: string, why: string): Finding {
  return { kind: "skipped", what, why };
}

/** "ok    …", "FAIL  … → what to do". What far ends said comes without the power to move the cursor. */
export function formatFinding(finding: Finding, style: (style: Style, text: string) => string): string {
  const what = escapeTerminal(finding.what);
  switch (finding.kind) {
    case "ok":
      return `${style("green", "ok")}    ${what}`;
    case "skipped":
      return `--    ${what}: not asked: ${escapeTerminal(finding.why)}`;
    case "fail":
      return `${style("red", "FAIL")}  ${what}: ${escapeTerminal(finding.why)} → ${escapeTerminal(finding.todo)}`;
  }
}
