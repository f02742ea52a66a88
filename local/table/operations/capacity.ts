import type { Input } from "./operation";

/** The request of one item, so that its answer has its capacity if the transaction is asked for it. */
export function withCapacity(one: Input, { ReturnConsumedCapacity }: Input): Input {
  return ReturnConsumedCapacity === undefined ? one : { ...one, ReturnConsumedCapacity };
}

interface Counted {
  readonly ConsumedCapacity?: { readonly TableName: string; readonly CapacityUnits: number };
}

/** Of a transaction's items by table. Each costs twice what it costs alone. Empty if nobody asked. */
export function capacityOf(results: readonly unknown[]): { readonly ConsumedCapacity?: unknown } {
  const units = new Map<string, number>();
  for (const { ConsumedCapacity: one } of results as readonly Counted[])
    if (one !== undefined) units.set(one.TableName, (units.get(one.TableName) ?? 0) + 2 * one.CapacityUnits);
  if (units.size === 0) return {};
  return { ConsumedCapacity: [...units].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })) };
}
