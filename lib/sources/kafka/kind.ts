import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

export const kafka: SourceKind = {
  name: "kafka",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./kafka")).openKafkaSource(network)),
};
