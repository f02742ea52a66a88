import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";
import { operandsOf } from "./operands";

export const formula: SourceKind = {
  name: "formula",
  isBuiltIn: false,
  operands: operandsOf,
  open: () => loadKindLazily(async () => (await import("./formula")).openFormulaSource()),
};
