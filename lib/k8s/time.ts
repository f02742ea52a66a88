/** Times and durations, read and printed as upstream does. */
export { DurationError, parseDuration } from "./time/duration";
export { InstantError, formatInstant, formatSeconds, parseInstant } from "./time/instant";
export type { EpochMs } from "./time/instant";
