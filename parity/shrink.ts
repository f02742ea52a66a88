type Put = (part: unknown) => unknown;

/**
 * A smaller value for which `holds` is still true: parts are left out, the largest first, and what is left is made
 * simpler. `given` itself must hold. Asks at most `most` times.
 */
export async function shrink(
  given: unknown,
  holds: (smaller: unknown) => Promise<boolean>,
  most = 500,
): Promise<unknown> {
  let left = most;
  const test = async (candidate: unknown) => (left -= 1) >= 0 && (await holds(candidate));

  async function reduce(value: unknown, put: Put): Promise<unknown> {
    if (Array.isArray(value)) return reduceList(value, put);
    if (typeof value === "object" && value !== null) return reduceMap(value as Record<string, unknown>, put);
    for (const candidate of simpler(value)) if (await test(put(candidate))) return candidate;
    return value;
  }

  async function reduceList(given: readonly unknown[], put: Put): Promise<unknown> {
    let list = given;
    for (let size = Math.ceil(list.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let index = 0; index < list.length;) {
        const candidate = list.toSpliced(index, size);
        if (await test(put(candidate))) list = candidate;
        else index += size;
      }
    }
    for (const [index, item] of list.entries())
      list = list.with(index, await reduce(item, (part) => put(list.with(index, part))));
    return list;
  }

  async function reduceMap(given: Readonly<Record<string, unknown>>, put: Put): Promise<unknown> {
    let map = given;
    for (const key of Object.keys(map)) {
      const { [key]: _left, ...candidate } = map;
      if (await test(put(candidate))) map = candidate;
    }
    for (const [key, item] of Object.entries(map))
      map = { ...map, [key]: await reduce(item, (part) => put({ ...map, [key]: part })) };
    return map;
  }

  const once = await reduce(given, (whole) => whole);
  return reduce(once, (whole) => whole);
}

const plainQuantity = /^(-?)(\d+)(\D*)$/;

function simpler(value: unknown): readonly unknown[] {
  if (typeof value === "number") return [0, 1, Math.trunc(value / 2)].filter((one) => Math.abs(one) < Math.abs(value));
  if (typeof value !== "string") return [];
  const [, sign = "", digits = "", suffix = ""] = plainQuantity.exec(value) ?? [];
  if (digits === "") return [];
  const half = digits.slice(0, Math.ceil(digits.length / 2));
  const shorter = ["0", "1", half].filter((one) => one.length < digits.length || one < digits);
  return [...shorter.map((one) => `${sign}${one}${suffix}`), ...(suffix === "" ? [] : [`${sign}${digits}`])];
}
