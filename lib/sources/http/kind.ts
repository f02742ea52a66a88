import { type SourceKind, loadKindLazily } from "../kind";

export const http: SourceKind = {
  name: "http",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./http")).openHttpSource(network)),
};
