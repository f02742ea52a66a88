import { type SourceKind, loadKindLazily } from "../kind";

export const prometheus: SourceKind = {
  name: "prometheus",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./prometheus")).openPrometheusSource(network)),
};
