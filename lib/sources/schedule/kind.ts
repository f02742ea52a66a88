import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

/** A label cannot hold a cron expression, so there is always an entry. */
export const schedule: SourceKind = {
  name: "schedule",
  isBuiltIn: false,
  open: () => loadKindLazily(async () => (await import("./schedule")).openScheduleSource()),
};
