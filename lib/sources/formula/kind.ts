import type { SourceKind } from "../kind";
import { lazily } from "../lazily";
import { operandsOf } from "./operands";

/** A label cannot hold a formula, so there is always an entry. */
export const formula: SourceKind = {
  name: "formula",
  isBuiltIn: false,
  operands: operandsOf,
  open: () => lazily(async () => (await import("./formula")).openFormulaSource()),
};
