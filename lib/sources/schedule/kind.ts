import type { SourceKind } from "../kind";
import { lazily } from "../lazily";

/** A label cannot hold a cron expression, so there is always an entry. */
export const schedule: SourceKind = {
  name: "schedule",
  isBuiltIn: false,
  open: () => lazily(async () => (await import("./schedule")).openScheduleSource()),
};
