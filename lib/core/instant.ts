import type { EpochMs } from "./situation";

/** A text that is no RFC 3339 instant. */
export class InstantError extends Error {
  constructor(text: string) {
    super(`expected an RFC 3339 time such as 2026-03-01T12:00:00Z, got ${JSON.stringify(text)}`);
    this.name = "InstantError";
  }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Milliseconds since the epoch of an RFC 3339 time, as metav1.Time reads it. Digits past the millisecond stay, as a fraction:
 * metrics carry microseconds. Throws InstantError.
 */
export function parseInstant(text: string): EpochMs {
  const match = rfc3339.exec(text);
  const at = Date.parse(text);
  if (match === null || Number.isNaN(at)) throw new InstantError(text);
  const fraction = match[1] ?? "";
  return fraction.length > 3 ? at + Number(`0.${fraction.slice(3)}`) : at;
}

/** Whole seconds in UTC, the precision that metav1.Time keeps: 12:00:00.9 is "…T12:00:00Z". */
export function formatSeconds(at: EpochMs): string {
  return `${new Date(Math.floor(at / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** In UTC with all that parseInstant keeps: reads back as the same instant. */
export function formatInstant(at: EpochMs): string {
  const whole = Math.floor(at);
  const text = new Date(whole).toISOString();
  if (whole === at) return text;
  return `${text.slice(0, -1)}${(at - whole).toFixed(6).slice(2)}Z`;
}
