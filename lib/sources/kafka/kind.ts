import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

/** A label cannot hold an address, so there is always an entry. */
export const kafka: SourceKind = {
  name: "kafka",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./kafka")).openKafkaSource(network)),
};
