import type { SourceKind } from "../../../lib/sources/kind";
import { lazily } from "../../../lib/sources/lazily";

export const madeUp: SourceKind = {
  name: "made-up",
  isBuiltIn: true,
  rights: () => [{ group: "made.up", resource: "topics", verbs: ["get"], namespace: "shop" }],
  open: () => lazily(async () => (await import("./made-up")).openMadeUpSource()),
};
