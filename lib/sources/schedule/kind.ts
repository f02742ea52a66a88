import type { SourceKind } from "../kind";
import { scheduleFields } from "./fields";
import { openScheduleSource } from "./schedule";
import { parseScheduleQuery } from "./schedule-query";

/** A label cannot hold a cron expression, so there is always an entry. */
export const schedule: SourceKind = {
  name: "schedule",
  isBuiltIn: false,
  fields: scheduleFields,
  parse: parseScheduleQuery,
  open: openScheduleSource,
};
