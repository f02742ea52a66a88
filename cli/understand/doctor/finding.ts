import { escapeLine } from "../../../lib/k8s/escape-terminal";
import type { Advice } from "../../../lib/model/advice";
import type { Caller } from "../../shell/advice/caller";
import { adviceText } from "../../shell/advice/print";
import type { Style } from "../../shell/output";

/** `todo`: a row of cli/shell/advice/table.ts. */
export type Finding =
  | { readonly kind: "ok"; readonly what: string; readonly todo?: Advice }
  | { readonly kind: "fail"; readonly what: string; readonly why: string; readonly todo: Advice }
  /** Cannot be checked from here. `todo`: a way to check it. */
  | { readonly kind: "skipped"; readonly what: string; readonly why: string; readonly todo: Advice }
  /** Too young to be checked. `why` says from when on it can be. */
  | { readonly kind: "notYet"; readonly what: string; readonly why: string };

export function ok(what: string, todo?: Advice): Finding {
  return { kind: "ok", what, ...(todo && { todo }) };
}

export function fail(what: string, why: string, todo: Advice): Finding {
  return { kind: "fail", what, why, todo };
}

export function skipped(what: string, why: string, todo: Advice): Finding {
  return { kind: "skipped", what, why, todo };
}

export function notYet(what: string, why: string): Finding {
  return { kind: "notYet", what, why };
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
      return `--    ${what}: not checked: ${escapeLine(finding.why)}${then(finding.todo)}`;
    case "notYet":
      return `..    ${what}: not yet: ${escapeLine(finding.why)}`;
    case "fail":
      return `${style("red", "FAIL")}  ${what}: ${escapeLine(finding.why)}${then(finding.todo)}`;
  }
}

export function countFindings(findings: readonly Finding[]): string {
  const count = (wanted: Finding["kind"]) => findings.filter(({ kind }) => kind === wanted).length;
  const [failed, unchecked, young] = [count("fail"), count("skipped"), count("notYet")];
  const open = [
    ...(unchecked === 0 ? [] : [`${unchecked} not checked (--)`]),
    ...(young === 0 ? [] : [`${young} not yet due (..)`]),
  ].join(", ");
  const attention = `${failed} ${failed === 1 ? "thing needs" : "things need"} attention`;
  if (open === "") return failed === 0 ? "All is well." : `${attention}.`;
  return failed === 0 ? `All that was checked is well; ${open}.` : `${attention}; ${open}.`;
}
