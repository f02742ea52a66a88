/** What came, short enough for a condition's message. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value instanceof Uint8Array) return "binary";
  const json = JSON.stringify(value);
  return json.length > 80 ? `${json.slice(0, 80)}…` : json;
}
