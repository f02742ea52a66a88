import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";

export const schedule: SourceKind = {
  name: "schedule",
  isBuiltIn: false,
  open: () => loadKindLazily(async () => (await import("./schedule")).openScheduleSource()),
};
