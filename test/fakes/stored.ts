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
  try {
    return copy(value) as T;
  } catch (error) {
    if (error !== unstorable) throw error;
    throw new TypeError(`${pathOf(value, "")}: expected what a table can hold`, { cause: error });
  }
}

const unstorable = new Error("no form in a table");

/** Every item of every slot is copied, so this is plain loops, and the path is only built for an error. */
function copy(value: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw unstorable;
      return value === 0 ? 0 : value;
    case "object":
      if (value === null) return null;
      return Array.isArray(value) ? copyList(value) : copyMap(value as Record<string, unknown>);
    default:
      throw unstorable;
  }
}

function copyList(list: readonly unknown[]): unknown[] {
  const elements: unknown[] = [];
  for (let index = 0; index < list.length; index++) elements.push(copy(list[index]));
  return elements;
}

function copyMap(map: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(map)) {
    const member = map[name];
    if (member === undefined) continue;
    if (name === "__proto__") Object.defineProperty(members, name, { ...plain, value: copy(member) });
    else members[name] = copy(member);
  }
  return members;
}

const plain = { configurable: true, enumerable: true, writable: true };

function isScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** Where the first part without a form is. */
function pathOf(value: unknown, at: string): string | undefined {
  if (isScalar(value)) return undefined;
  if (typeof value !== "object" || value === null) return at;
  const members = Array.isArray(value)
    ? Array.from(value, (element: unknown, index) => [`${at}[${index}]`, element] as const)
    : Object.entries(value).map(([name, member]) => [`${at}.${name}`, member] as const);
  for (const [path, member] of members) {
    if (member === undefined && !Array.isArray(value)) continue;
    const found = pathOf(member, path);
    if (found !== undefined) return found;
  }
  return undefined;
}
