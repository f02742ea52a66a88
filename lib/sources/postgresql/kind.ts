import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

/** A label cannot hold a query, so there is always an entry. */
export const postgresql: SourceKind = {
  name: "postgresql",
  isBuiltIn: false,
  open: ({ network, sqs }) =>
    loadKindLazily(async () => {
      const { openPostgresqlSource } = await import("./postgresql");
      // The functions' own, as each of their clients has them.
      return openPostgresqlSource(network, (region) => sqs(region).config.credentials());
    }),
};
