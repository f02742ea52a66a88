import { type SourceKind, loadKindLazily } from "../kind";

export const kafka: SourceKind = {
  name: "kafka",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./kafka")).openKafkaSource(network)),
};
