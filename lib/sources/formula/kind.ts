import { type SourceKind, loadKindLazily } from "../kind";
import { operandsOf } from "./operands";

export const formula: SourceKind = {
  name: "formula",
  isBuiltIn: false,
  operands: operandsOf,
  open: () => loadKindLazily(async () => (await import("./formula")).openFormulaSource()),
};
