import type { SourceKind } from "../kind";
import { lazily } from "../lazily";

/** A label cannot hold PromQL, so there is always an entry. */
export const prometheus: SourceKind = {
  name: "prometheus",
  isBuiltIn: false,
  open: ({ network }) => lazily(async () => (await import("./prometheus")).openPrometheusSource(network)),
};
