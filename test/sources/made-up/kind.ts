import type { SourceKind } from "../../../lib/sources/kind";
import { loadKindLazily } from "../../../lib/sources/load-kind-lazily";

export const madeUp: SourceKind = {
  name: "made-up",
  isBuiltIn: true,
  rights: () => [{ group: "made.up", resource: "topics", verbs: ["get"], namespace: "shop" }],
  open: () => loadKindLazily(async () => (await import("./made-up")).openMadeUpSource()),
};
