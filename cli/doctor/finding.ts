import { escapeLine } from "../../lib/k8s/printing/columns";
import type { Style } from "../output";

/** The result of one check. `todo`: how to fix it, with a command to copy if there is one. */
export type Finding =
  | { readonly kind: "ok"; readonly what: string }
  | { readonly kind: "fail"; readonly what: string; readonly why: string; readonly todo: string }
  /** This machine could not check it, which says nothing about its health. */
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

/** "ok    …", "FAIL  … → what to do". Escapes control characters, since clusters and sources wrote parts of it. */
export function formatFinding(finding: Finding, style: (style: Style, text: string) => string): string {
  const what = escapeLine(finding.what);
  switch (finding.kind) {
    case "ok":
      return `${style("green", "ok")}    ${what}`;
    case "skipped":
      return `--    ${what}: not checked: ${escapeLine(finding.why)}`;
    case "fail":
      return `${style("red", "FAIL")}  ${what}: ${escapeLine(finding.why)} → ${escapeLine(finding.todo)}`;
  }
}
