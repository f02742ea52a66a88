import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

export const rabbitmq: SourceKind = {
  name: "rabbitmq",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./rabbitmq")).openRabbitmqSource(network)),
};
