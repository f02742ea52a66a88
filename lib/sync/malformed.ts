import { Fault } from "../api/errors";
import type { EpochMs } from "../core/situation";

/** What is wrong with a field of a queue message: such a message can never succeed and belongs in the dead-letter queue. */
export function malformed(message: string): (field: string, expected: string, got: unknown) => Fault {
  return (field, expected, got) =>
    new Fault("badEntry", `${message}, field ${field}: expected ${expected}, got ${excerpt(JSON.stringify(got))}`);
}

export function isInstant(value: unknown): value is EpochMs {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

export function excerpt(text: string | undefined): string {
  if (text === undefined) return "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
