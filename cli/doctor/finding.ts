import { escapeLine } from "../../lib/k8s/printing/columns";
import type { Advice } from "../../lib/model/advice";
import type { Caller } from "../advice/caller";
import { adviceText } from "../advice/print";
import type { Style } from "../output";

/** The result of one check. `todo`: how to fix it, a row of cli/advice/table.ts. */
export type Finding =
  /** `todo`: what would make it better. */
  | { readonly kind: "ok"; readonly what: string; readonly todo?: Advice }
  | { readonly kind: "fail"; readonly what: string; readonly why: string; readonly todo: Advice }
  /** This machine could not check it, which says nothing about its health. */
  | { readonly kind: "skipped"; readonly what: string; readonly why: string };

export function ok(what: string, todo?: Advice): Finding {
  return { kind: "ok", what, ...(todo && { todo }) };
}

export function fail(what: string, why: string, todo: Advice): Finding {
  return { kind: "fail", what, why, todo };
}

export function skipped(what: string, why: string): Finding {
  return { kind: "skipped", what, why };
}

interface Looks {
  readonly style: (style: Style, text: string) => string;
  readonly caller: Caller;
}

/** "ok    …", "FAIL  … → what to do". Escapes control characters, since clusters and sources wrote parts of it. */
export function formatFinding(finding: Finding, { style, caller }: Looks): string {
  const what = escapeLine(finding.what);
  const then = (todo: Advice | undefined) => (todo === undefined ? "" : ` → ${escapeLine(adviceText(todo, caller))}`);
  switch (finding.kind) {
    case "ok":
      return `${style("green", "ok")}    ${what}${then(finding.todo)}`;
    case "skipped":
      return `--    ${what}: not checked: ${escapeLine(finding.why)}`;
    case "fail":
      return `${style("red", "FAIL")}  ${what}: ${escapeLine(finding.why)}${then(finding.todo)}`;
  }
}
