import type { SourceKind } from "../kind";
import { lazily } from "../lazily";

/** A label cannot hold an address, so there is always an entry. */
export const kafka: SourceKind = {
  name: "kafka",
  isBuiltIn: false,
  open: ({ network }) => lazily(async () => (await import("./kafka")).openKafkaSource(network)),
};
