import { Cron } from "croner";
import type { SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { type GivenParameters, badParameter } from "../parameters";
import { type WallClock, wallClockOf } from "./wall-clock";
import { type ListField, type ParameterFields, countField, textField } from "../fields/field";

const cron = textField({
  expected: "a cron expression such as 0 9 * * 1-5",
  pattern: /^[0-9A-Za-z*,/?#-]+( [0-9A-Za-z*,/?#-]+){4}$/,
});

const value = countField(0, 1_000_000);

const timezone = textField({
  expected: "an IANA time zone such as Europe/Berlin",
  // Also aliases such as CET, W-SU and GMT+0.
  pattern: /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/,
});

const ofWindow = { start: cron, end: cron, value, timezone };

const windows: ListField<typeof ofWindow> = {
  type: "list",
  of: ofWindow,
  required: ["start", "end", "value"],
  maxItems: 50,
  expected: "a list of at most 50 objects, which only a SOURCE entry can hold",
};

export const scheduleFields = {
  start: cron,
  end: cron,
  value,
  timezone,
  windows,
  outside: value,
} satisfies ParameterFields;

/** From each start until the next end, by the wall clock. */
export interface Window {
  readonly start: Cron;
  readonly end: Cron;
  readonly clock: WallClock;
  readonly value: number;
}

export interface ScheduleQuery {
  readonly windows: readonly Window[];
  readonly outside: number;
}

type WindowFields = Readonly<Partial<Record<"start" | "end" | "timezone", string>>> & { readonly value?: number };

/** @throws Fault "badEntry". */
export function parseScheduleQuery({ parameters }: SourceQuery): ScheduleQuery {
  const { windows = [], timezone = "UTC", outside = 0, ...one } = readParameters(scheduleFields, parameters);
  const isOne = Object.keys(one).length > 0;
  if (!isOne && windows.length === 0) throw badParameter("start", "start, end and value, or windows", undefined);
  return {
    windows: [
      ...(isOne ? [windowOf({ ...one, timezone }, "")] : []),
      ...windows.map((window, index) => windowOf({ timezone, ...window }, `windows[${index}].`)),
    ],
    outside,
  };
}

/**
 * Labels may add what is missing.
 * @throws Fault "badEntry".
 */
export function checkSchedule(parameters: GivenParameters): void {
  const { windows = [], ...one } = readParameters(scheduleFields, parameters);
  checkWindow(one, "");
  windows.forEach((window, index) => checkWindow(window, `windows[${index}].`));
}

function checkWindow({ timezone = "UTC", start, end }: WindowFields, path: string): void {
  checkTimeZone(timezone, path);
  const [opens, closes] = [
    start === undefined ? undefined : cronOf(start, `${path}start`),
    end === undefined ? undefined : cronOf(end, `${path}end`),
  ];
  if (opens !== undefined && closes !== undefined) checkDiffer({ start: opens, end: closes }, path);
}

function windowOf(fields: WindowFields, path: string): Window {
  const { timezone = "UTC", value } = fields;
  checkTimeZone(timezone, path);
  const start = requiredText(scheduleFields, fields, "start", path);
  const end = requiredText(scheduleFields, fields, "end", path);
  if (value === undefined) throw badParameter(`${path}value`, scheduleFields.value.expected, value);
  const times = { start: cronOf(start, `${path}start`), end: cronOf(end, `${path}end`) };
  checkDiffer(times, path);
  return { ...times, clock: wallClockOf(timezone), value };
}

const lookedAt = 60;

/** Such a window would never close, also if only the texts differ: `0 9 * * 0` and `0 09 * * SUN`. */
function checkDiffer({ start, end }: Pick<Window, "start" | "end">, path: string): void {
  const months = Array.from({ length: 24 }, (_, month) => new Date(Date.UTC(2024, month)));
  const isSameFrom = (from: Date, runs: number) =>
    String(start.nextRuns(runs, from)) === String(end.nextRuns(runs, from));
  if (isSameFrom(new Date(0), 1) && months.every((from, index) => isSameFrom(from, index === 0 ? lookedAt : 1)))
    throw badParameter(`${path}end`, "a time that differs from start", end.getPattern());
}

function checkTimeZone(name: string, path: string): void {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
  } catch {
    throw badParameter(`${path}timezone`, scheduleFields.timezone.expected, name);
  }
}

/** For wall-clock time, which has no zone. */
function cronOf(pattern: string, path: string): Cron {
  try {
    const cron = new Cron(pattern, { timezone: "UTC", mode: "5-part" });
    if (cron.nextRun() !== null) return cron;
  } catch {
    // Croner's message names neither the parameter nor the value.
  }
  throw badParameter(path, scheduleFields.start.expected, pattern);
}

/** Only then, KEDA's windows are ebb's. Upstream, KEDA 2.21: GetMetricsAndActivity (pkg/scalers/cron_scaler.go). */
export function isAlternating({ start, end }: Pick<Window, "start" | "end">): boolean {
  const from = new Date(Date.UTC(2024, 0, 1));
  let [starts, ends] = [start.nextRun(from), end.nextRun(from)];
  for (let looked = 0; looked < lookedAt; looked += 1) {
    if (starts === null || ends === null || starts.getTime() === ends.getTime()) return false;
    if (starts < ends) {
      starts = start.nextRun(starts);
      if (starts !== null && starts < ends) return false;
    } else {
      ends = end.nextRun(ends);
      if (ends !== null && ends < starts) return false;
    }
  }
  return true;
}
