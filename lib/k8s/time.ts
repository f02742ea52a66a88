/** Times and durations, read and printed as upstream does. */
export { DurationError, parseDuration } from "./duration";
export { InstantError, formatInstant, formatSeconds, parseInstant } from "./instant";
export type { EpochMs } from "./instant";
