import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

/** A label cannot hold a URL, so there is always an entry. */
export const http: SourceKind = {
  name: "http",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./http")).openHttpSource(network)),
};
