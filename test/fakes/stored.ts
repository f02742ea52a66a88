/** Of UTF-8 bytes, as DynamoDB orders sort keys: not of UTF-16 units, as "<" does. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const maxItemBytes = 400 * 1024;

/**
 * Whether an item of this data is too large for a table; counted as JSON, which is a little more than DynamoDB counts.
 */
export function isTooLarge(value: unknown): boolean {
  const json = JSON.stringify(value);
  return json.length > maxItemBytes / 4 && Buffer.byteLength(json) > maxItemBytes;
}

/**
 * A copy of what a table keeps of plain data: members that are undefined are not stored.
 * @throws TypeError for what has no form in a table (NaN, a function, a hole in a list), as `toItem` does.
 */
export function stored<T>(value: T): T {
  return copy(value, "") as T;
}

function copy(value: unknown, at: string): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (Array.isArray(value)) return Array.from(value, (element, index) => copy(element, `${at}[${index}]`));
  if (typeof value !== "object") throw new TypeError(`${at}: expected what a table can hold, got ${typeof value}`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copy(member, `${at}.${name}`)]));
}
