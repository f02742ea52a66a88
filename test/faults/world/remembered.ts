/**
 * Decodes each object once. The items of the simulated table never change, and decoding is a pure function: most slots
 * read the same items again. What is decoded is frozen, so code that changes it fails.
 */
export function remembered<Item extends object, T>(decode: (item: Item) => T): (item: Item) => T {
  const known = new WeakMap<Item, T>();
  return (item) => {
    const found = known.get(item);
    if (found !== undefined) return found;
    const decoded = frozen(decode(item));
    known.set(item, decoded);
    return decoded;
  };
}

/** The same for what has a key beside it. */
export function rememberedWithKey<T>(decode: (key: string, item: unknown) => T): (key: string, item: unknown) => T {
  const known = new WeakMap<object, { readonly key: string; readonly decoded: T }>();
  return (key, item) => {
    if (typeof item !== "object" || item === null) return decode(key, item);
    const found = known.get(item);
    if (found?.key === key) return found.decoded;
    const decoded = frozen(decode(key, item));
    known.set(item, { key, decoded });
    return decoded;
  };
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(frozen);
  return value;
}
