import { type SourceKind, loadKindLazily } from "../kind";

export const rabbitmq: SourceKind = {
  name: "rabbitmq",
  isBuiltIn: false,
  open: ({ network }) => loadKindLazily(async () => (await import("./rabbitmq")).openRabbitmqSource(network)),
};
