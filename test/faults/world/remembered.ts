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

interface Keyed {
  readonly key: string;
  readonly document: unknown;
}

/** The same for a document that has a key beside it. */
export function rememberedWithKey<In extends Keyed, T>(decode: (listed: In) => T): (listed: In) => T {
  const known = new WeakMap<object, { readonly key: string; readonly decoded: T }>();
  return (listed) => {
    const { key, document } = listed;
    if (typeof document !== "object" || document === null) return decode(listed);
    const found = known.get(document);
    if (found?.key === key) return found.decoded;
    const decoded = frozen(decode(listed));
    known.set(document, { key, decoded });
    return decoded;
  };
}

/** For a pure function of anything. Only what is frozen is sure to stay as it is. */
export function rememberedIfFrozen<T>(compute: (value: unknown) => T): (value: unknown) => T {
  const known = new WeakMap<object, T>();
  return (value) => {
    if (typeof value !== "object" || value === null || !Object.isFrozen(value)) return compute(value);
    const found = known.get(value) ?? compute(value);
    known.set(value, found);
    return found;
  };
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(frozen);
  return value;
}
