import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

export const prometheus: SourceKind = {
  name: "prometheus",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./prometheus")).openPrometheusSource(network)),
};
