import { type SourceKind, loadKindLazily } from "../../../lib/sources/kind";

export const madeUp: SourceKind = {
  name: "made-up",
  isBuiltIn: true,
  rights: () => [{ group: "made.up", resource: "topics", verbs: ["get"], namespace: "shop" }],
  open: () => loadKindLazily(async () => (await import("./made-up")).openMadeUpSource()),
};
