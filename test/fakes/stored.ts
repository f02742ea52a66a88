/** Of UTF-8 bytes, as DynamoDB orders sort keys: not of UTF-16 units, as "<" does. */
export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  // NaN behind the end.
  const [unitOfA, unitOfB] = [a.charCodeAt(at), b.charCodeAt(at)];
  // From the first surrogate on, the two orders differ.
  if (unitOfA >= 0xd800 || unitOfB >= 0xd800) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return unitOfA < unitOfB || at === a.length ? -1 : 1;
}

const maxItemBytes = 400 * 1024;

/**
 * A copy of an item's data as `stored` makes it, and whether an item of it is too large for a table: counted as JSON,
 * which is a little more than DynamoDB counts.
 */
export function storedItem<T>(value: T): { readonly item: T; readonly isTooLarge: boolean } {
  atMost = 0;
  const item = stored(value);
  return { item, isTooLarge: atMost > maxItemBytes && Buffer.byteLength(JSON.stringify(item)) > maxItemBytes };
}

/** The bytes of JSON that were copied since it was 0, or more. Nearly all items are far below the limit. */
let atMost = 0;
/** `\u0000` is one. */
const bytesOfUnit = 6;
/** Quotes or brackets, a colon and a comma, or any number. */
const bytesOfPart = 26;

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
      atMost += bytesOfUnit * value.length + bytesOfPart;
      return value;
    case "boolean":
      atMost += bytesOfPart;
      return value;
    case "number":
      if (!Number.isFinite(value)) throw unstorable;
      atMost += bytesOfPart;
      return value === 0 ? 0 : value;
    case "object":
      atMost += bytesOfPart;
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
    atMost += bytesOfUnit * name.length + bytesOfPart;
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
