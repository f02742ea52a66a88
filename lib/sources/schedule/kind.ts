import { type SourceKind, loadKindLazily } from "../kind";

export const schedule: SourceKind = {
  name: "schedule",
  isBuiltIn: false,
  open: () => loadKindLazily(async () => (await import("./schedule")).openScheduleSource()),
};
