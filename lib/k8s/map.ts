/** A map from JSON or from the table: not a list, null or bytes. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** The map that a JSON text holds; undefined for any other text. No error, since it would quote the text. */
export function parseMap(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `{[name]: value}`, or `{}` if the value is absent: with exactOptionalPropertyTypes, a field may not be undefined. */
export function present<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
}
