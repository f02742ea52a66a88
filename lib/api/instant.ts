/** A text that is no RFC 3339 instant. */
export class InstantError extends Error {
  constructor(text: string) {
    super(`expected an RFC 3339 time such as 2026-03-01T12:00:00Z, got ${JSON.stringify(text)}`);
    this.name = "InstantError";
  }
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Milliseconds since the epoch of an RFC 3339 time, as metav1.Time reads it. Digits past the millisecond stay, as a fraction:
 * metrics carry microseconds. Throws InstantError.
 */
export function parseInstant(text: string): number {
  const match = rfc3339.exec(text);
  const at = Date.parse(text);
  if (match === null || Number.isNaN(at) || !isDay(match)) throw new InstantError(text);
  const fraction = match[4] ?? "";
  return fraction.length > 3 ? at + Number(`0.${fraction.slice(3)}`) : at;
}

/** Date.parse reads 30 February as 2 March, and 24:00 as the next day's start; Go refuses both. */
function isDay([, year, month, day]: RegExpExecArray): boolean {
  // Any year of the same place in the 400 years of the calendar has the same months; Date.UTC reads 0 to 99 as 1900 to 1999.
  return (
    Number(day) <= 28 || Number(day) <= new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate()
  );
}

/** Of milliseconds since the epoch: whole seconds in UTC, the precision that metav1.Time keeps: 12:00:00.9 is "…T12:00:00Z". */
export function formatSeconds(at: number): string {
  return `${new Date(Math.floor(at / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Of milliseconds since the epoch: in UTC with all that parseInstant keeps: reads back as the same instant. */
export function formatInstant(at: number): string {
  const whole = Math.floor(at);
  const text = new Date(whole).toISOString();
  if (whole === at) return text;
  return `${text.slice(0, -1)}${(at - whole).toFixed(6).slice(2)}Z`;
}
