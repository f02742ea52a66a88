import { type SourceKind, loadKindLazily } from "../kind";

export const postgresql: SourceKind = {
  name: "postgresql",
  isBuiltIn: false,
  open: ({ network, sqs }) =>
    loadKindLazily(async () => {
      const { openPostgresqlSource } = await import("./postgresql");
      return openPostgresqlSource(network, (region) => sqs(region).config.credentials());
    }),
};
