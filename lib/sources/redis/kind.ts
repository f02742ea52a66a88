import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

/** The entry says for which server its secret is. */
export const redis: SourceKind = {
  name: "redis",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./redis")).openRedisSource(network)),
};
