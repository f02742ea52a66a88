import { type SourceKind, loadKindLazily } from "../kind";

/** The entry says for which server its secret is. */
export const redis: SourceKind = {
  name: "redis",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./redis")).openRedisSource(network)),
};
