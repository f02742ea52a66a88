export { DurationError, parseDuration } from "./duration";
export { InstantError, formatInstant, formatSeconds, parseInstant } from "./instant";
export type { EpochMs } from "./instant";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
