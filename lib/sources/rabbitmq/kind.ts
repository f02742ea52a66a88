import type { SourceKind } from "../kind";
import { lazily } from "../lazily";

/** A label cannot hold a URL, so there is always an entry. */
export const rabbitmq: SourceKind = {
  name: "rabbitmq",
  isBuiltIn: false,
  open: ({ network }) => lazily(async () => (await import("./rabbitmq")).openRabbitmqSource(network)),
};
