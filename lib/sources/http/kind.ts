import type { SourceKind } from "../kind";
import { lazily } from "../lazily";

/** A label cannot hold a URL, so there is always an entry. */
export const http: SourceKind = {
  name: "http",
  isBuiltIn: false,
  open: ({ network }) => lazily(async () => (await import("./http")).openHttpSource(network)),
};
