import { isFault } from "../../model/fault";
import { describeKind } from "../description";
import { scheduleFields, checkSchedule, isAlternating, parseScheduleQuery } from "./schedule-query";
import { schedule } from "./kind";
import { type FromKeda, type KedaTrigger, numeric, onlySet } from "../keda";

const start = "When the window opens: minute, hour, day of month, month, day of week.";
const end = "When it closes. It may be on a later day.";
const value = "The metric while it is open: with a target of 1, so many replicas.";
const timezone = "The time zone of start and end. Default UTC.";

export const describedSchedule = describeKind(schedule, scheduleFields, {
  summary: "The clock: a number within windows of time, and another outside.",
  parse: parseScheduleQuery,
  check: checkSchedule,
  parameters: {
    start,
    end,
    value,
    timezone,
    windows: {
      description: "More windows. The highest open value counts.",
      element: {
        title: "Window",
        description: "From each start until the next end.",
        of: { start, end, value, timezone: "The time zone of this window. Default: the source's." },
      },
    },
    outside: "The metric outside of all windows. Default 0.",
  },
  example: { timezone: "Europe/Berlin", start: "0 9 * * 1-5", end: "0 18 * * 1-5", value: 10 },
  averageValue: "1",
  iam: [],
  keda: { cron: fromCron },
});

/** With a target of one, desiredReplicas is the number of replicas. */
function fromCron(trigger: KedaTrigger): FromKeda {
  const [start, end] = [trigger.required("start"), trigger.required("end")];
  const [opens, closes] = [fromKedaCron(start), fromKedaCron(end)];
  const isOneZone = opens.zone === closes.zone;
  const [timezone, desired] = [trigger.required("timezone"), trigger.required("desiredReplicas")];
  const parameters = onlySet({
    timezone: (isOneZone ? opens.zone : undefined) ?? timezone,
    // The check refuses times in two zones as they were written.
    start: isOneZone ? opens.pattern : start,
    end: isOneZone ? closes.pattern : end,
    // An open window is activity, so KEDA keeps one replica for 0.
    value: numeric(desired === "0" ? "1" : desired),
  });
  if (!isOpenAsInKeda(parameters))
    trigger.note(
      "end",
      "and start do not alternate: KEDA is active while the next end comes before the next start, ebb from a start until the next end",
      "activity",
    );
  return { parameters, target: "1" };
}

/** True if the source's own check reports them. */
function isOpenAsInKeda(parameters: FromKeda["parameters"]): boolean {
  try {
    return parseScheduleQuery({ metricName: "", parameters }).windows.every(isAlternating);
  } catch (error) {
    if (isFault(error)) return true;
    throw error;
  }
}

const lastOfFields = [59, 23, 31, 12, 6];

/** As robfig/cron v3 reads it (parser.go): `N/M` ends with the field, and a full range in a list is no restriction. */
export function fromKedaCron(given: string | undefined): { readonly pattern?: string; readonly zone?: string } {
  if (given === undefined) return {};
  const [, zone, text = given] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/s.exec(given) ?? [];
  const parts = text.trim().split(/\s+/);
  const pattern = parts.map((part, index) => fieldOf(part, lastOfFields[index])).join(" ");
  return { pattern, ...(zone !== undefined && { zone }) };
}

function fieldOf(field: string, last: number | undefined): string {
  const ranges = field.split(",").filter((range) => range !== "");
  if (ranges.some((range) => /^[*?](\/0*1)?$/.test(range))) return "*";
  return ranges
    .map((range) => {
      const [from = "", step, ...more] = range.split("/");
      if (step === undefined || more.length > 0 || last === undefined) return range;
      if (from === "?") return `*/${step}`;
      return from.includes("-") || from === "*" ? range : `${from}-${last}/${step}`;
    })
    .join(",");
}
