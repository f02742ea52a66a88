import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

/** A label cannot hold a URL, so there is always an entry. */
export const rabbitmq: SourceKind = {
  name: "rabbitmq",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./rabbitmq")).openRabbitmqSource(network)),
};
