/** A map from JSON or from the table: not a list, null or bytes. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** `{[name]: value}`, or `{}` if the value is absent: with exactOptionalPropertyTypes, a field may not be undefined. */
export function present<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
}
