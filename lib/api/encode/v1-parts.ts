import type { CrossVersionObjectReference, Quantity } from "../hpa";
import type { LabelSelector } from "../meta";

/** The pieces that metrics and their statuses share, with their fields in the order in which Go's structs have them. */

export function reference({ kind, name, apiVersion }: CrossVersionObjectReference): CrossVersionObjectReference {
  return { kind, name, ...(apiVersion === undefined || apiVersion === "" ? {} : { apiVersion }) };
}

/** undefined fields are left out by JSON.stringify, as Go leaves out nil. */
export function selector(given: LabelSelector | undefined): object | undefined {
  if (given === undefined) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = given;
  return {
    matchLabels: Object.keys(matchLabels).length === 0 ? undefined : sorted(matchLabels),
    matchExpressions:
      matchExpressions.length === 0
        ? undefined
        : matchExpressions.map(({ key, operator, values = [] }) => ({
            key,
            operator,
            values: values.length === 0 ? undefined : values,
          })),
  };
}

/** A quantity that v1 cannot leave out: absent is zero. */
export function quantityOrZero(quantity: Quantity | undefined): string {
  return String(quantity ?? "0");
}

export function quantityText(quantity: Quantity | undefined): string | undefined {
  return quantity === undefined ? undefined : String(quantity);
}

export function sorted(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An object of the fields that are set, in this order. */
export function present<T extends object>(fields: { readonly [Name in keyof T]-?: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
