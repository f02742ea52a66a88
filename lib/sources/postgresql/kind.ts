import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

export const postgresql: SourceKind = {
  name: "postgresql",
  isBuiltIn: false,
  open: ({ network, sqs }) =>
    loadKindLazily(async () => {
      const { openPostgresqlSource } = await import("./postgresql");
      return openPostgresqlSource(network, (region) => sqs(region).config.credentials());
    }),
};
