import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

export const http: SourceKind = {
  name: "http",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./http")).openHttpSource(network)),
};
