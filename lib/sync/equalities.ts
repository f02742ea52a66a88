import type { Selector } from "../api/selector";

/** The labels for which a selector demands one certain value. */
export function equalities(selector: Selector): readonly (readonly [label: string, value: string])[] {
  if (selector.kind === "nothing") return [];
  return selector.requirements.flatMap(({ key, operator, values }) => {
    const [value] = values;
    const demandsOne = (operator === "=" || operator === "==" || operator === "in") && values.length === 1;
    return demandsOne && value !== undefined ? [[key, value] as const] : [];
  });
}
