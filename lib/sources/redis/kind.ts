import type { SourceKind } from "../kind";
import { lazily } from "../lazily";

/** There is always an entry: it says for which server its secret is. */
export const redis: SourceKind = {
  name: "redis",
  isBuiltIn: false,
  open: ({ network }) => lazily(async () => (await import("./redis")).openRedisSource(network)),
};
