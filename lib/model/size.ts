/** Looked up once: each text of each entry is measured in each slot. */
const utf8 = Buffer;

/** What plain data takes. */
export interface Size {
  /** As a table counts it: text in UTF-8, up to 8 for a number, 1 for each member and element. */
  readonly bytes: number;
  /** In memory, at most: each value, member and text has a head of its own. An empty list takes 60 times its bytes. */
  readonly memory: number;
}

/** The bytes of plain data, as a table counts them. */
export function sizeOf(value: unknown): number {
  return measure(value).bytes;
}

export function measure(value: unknown): Size {
  const tally = { bytes: 0, values: 0 };
  count(value, tally);
  return { bytes: tally.bytes, memory: tally.bytes + memoryPerValue * tally.values };
}

const memoryPerValue = 64;

function count(value: unknown, tally: { bytes: number; values: number }): void {
  tally.values += 1;
  if (typeof value === "string") tally.bytes += utf8.byteLength(value);
  else if (typeof value === "number") tally.bytes += 8;
  else if (typeof value !== "object" || value === null) tally.bytes += 1;
  else if (value instanceof Uint8Array) tally.bytes += value.byteLength;
  else {
    tally.bytes += 3;
    if (Array.isArray(value)) {
      tally.bytes += value.length;
      for (const element of value) count(element, tally);
    } else {
      for (const name of Object.keys(value)) {
        tally.bytes += 1 + utf8.byteLength(name);
        count((value as Readonly<Record<string, unknown>>)[name], tally);
      }
    }
  }
}
