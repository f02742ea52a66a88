import { Fault } from "../api/errors";
import { isObject, type ApiObject } from "./api-client";

/** The items of a list. Go serves an empty list as null at times; anything but a list of objects is no answer. */
export function listItems<T>(list: ApiObject, what: string): readonly T[] {
  const items = list["items"] ?? [];
  if (!Array.isArray(items))
    throw new Fault("badAnswer", `${what}: expected items as a list, got ${JSON.stringify(items)}`);
  const bad = items.findIndex((item) => !isObject(item));
  if (bad >= 0)
    throw new Fault("badAnswer", `${what}: expected items[${bad}] as an object, got ${JSON.stringify(items[bad])}`);
  return items as T[];
}

/** The items of a list of Kubernetes objects: each has a name. */
export function namedItems<T>(list: ApiObject, what: string): readonly T[] {
  const items = listItems<{ readonly metadata?: { readonly name?: unknown } | null }>(list, what);
  items.forEach(({ metadata }, index) => {
    const name = metadata?.name;
    if (typeof name !== "string")
      throw new Fault("badAnswer", `${what}: expected items[${index}].metadata.name, got ${JSON.stringify(name)}`);
  });
  return items as readonly T[];
}

/** `{[name]: value}`, or nothing where the value is absent: with exactOptionalPropertyTypes an absent field is not undefined. */
export function optional<K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]?: V });
}
