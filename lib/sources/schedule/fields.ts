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
