import type { Fields } from "../object";
import { isFields } from "../object";

interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** The list with one condition set; its lastTransitionTime moves with its status alone. */
export function setCondition(conditions: unknown, at: string, condition: Condition): Fields[] {
  const list = Array.isArray(conditions) ? conditions.filter(isFields) : [];
  const before = list.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.["status"] === condition.status ? before["lastTransitionTime"] : at;
  const next = { ...condition, lastTransitionTime };
  return before === undefined ? [...list, next] : list.map((each) => (each === before ? next : each));
}

export function isConditionTrue(object: { readonly status?: Fields }, type: string): boolean {
  const conditions = object.status?.["conditions"];
  return (
    Array.isArray(conditions) &&
    conditions.filter(isFields).some((condition) => condition["type"] === type && condition["status"] === "True")
  );
}
