import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

/** A label cannot hold PromQL, so there is always an entry. */
export const prometheus: SourceKind = {
  name: "prometheus",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./prometheus")).openPrometheusSource(network)),
};
