/** Not a list, null or bytes. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** No error, since it would quote the text. */
export function parseMap(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Go reads null as absent. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** For exactOptionalPropertyTypes. */
export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const found: Partial<Fields> = {};
  for (const name in fields) if (fields[name] !== undefined) found[name] = fields[name];
  return found as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}
