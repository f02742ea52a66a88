/** Looked up once: each text of each entry is measured in each slot. */
const utf8 = Buffer;

/**
 * The bytes of plain data, counted as a table does: text in UTF-8, up to 8 for a number, 1 for each member and element.
 * In memory, the same data takes about twice as much.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return utf8.byteLength(value);
  if (typeof value === "number") return 8;
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  let sum = 3;
  if (Array.isArray(value)) for (const element of value) sum += 1 + sizeOf(element);
  else
    for (const name of Object.keys(value))
      sum += 1 + utf8.byteLength(name) + sizeOf((value as Readonly<Record<string, unknown>>)[name]);
  return sum;
}
