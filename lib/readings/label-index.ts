import type { ObjectMeta } from "../k8s/objects";
import { type Selector, matches } from "../k8s/selector";

/** Labels for which the selector requires exactly one value. */
export function equalities(selector: Selector): readonly (readonly [label: string, value: string])[] {
  if (selector.kind === "nothing") return [];
  return selector.requirements.flatMap(({ key, operator, values }) => {
    const [value] = values;
    const demandsOne = (operator === "=" || operator === "==" || operator === "in") && values.length === 1;
    return demandsOne && value !== undefined ? [[key, value] as const] : [];
  });
}

export interface LabelIndex<T> {
  readonly all: readonly T[];
  matching(selector: Selector): readonly T[];
}

/** A selector is tried on the smallest bucket of its equalities: a thousand HPAs must not each look at every object. */
export function indexByLabel<T extends { readonly metadata: ObjectMeta }>(all: readonly T[]): LabelIndex<T> {
  const buckets = new Map<string, T[]>();
  for (const item of all) {
    for (const [label, value] of Object.entries(item.metadata.labels ?? {})) {
      const bucket = buckets.get(`${label}=${value}`);
      if (bucket === undefined) buckets.set(`${label}=${value}`, [item]);
      else bucket.push(item);
    }
  }

  function candidates(selector: Selector): readonly T[] {
    let smallest: readonly T[] = all;
    for (const [label, value] of equalities(selector)) {
      const bucket = buckets.get(`${label}=${value}`) ?? [];
      if (bucket.length < smallest.length) smallest = bucket;
    }
    return smallest;
  }

  return {
    all,
    matching: (selector) => candidates(selector).filter((item) => matches(selector, item.metadata.labels ?? {})),
  };
}
