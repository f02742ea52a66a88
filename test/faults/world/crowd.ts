import { toItem } from "../../../lib/table/items/attributes";
import { itemName } from "../../../lib/table/get-items";
import type { FakeCluster } from "../../fakes/fake-cluster";
import type { Crowd, PlantedItem } from "../stories/story";
import type { Item, ItemWrite, MemoryTable } from "./memory-table";

export interface CrowdDeps {
  readonly crowd: Crowd | undefined;
  readonly table: MemoryTable;
  readonly far: FakeCluster;
}

const timestamp = "2026-03-01T12:00:00Z";

export type WorldCrowd = ReturnType<typeof openCrowd>;

/** Puts a story's crowd into the table and the cluster. No wake hears of it: it was there before. */
export function openCrowd({ crowd, table, far }: CrowdDeps) {
  const write = (Item: Item) => void table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
  const planted = new Map(
    (crowd?.planted ?? []).map(({ item, keeps = [] }) => {
      const stored = itemOf(item);
      return [itemName(stored), { stored, keeps }];
    }),
  );
  let isPlanting = false;

  function plant({ pk, sk, after = {} }: Pick<ItemWrite, "pk" | "sk"> & Partial<ItemWrite>): void {
    const found = planted.get(itemName(toItem({ pk, sk })));
    if (found === undefined) return;
    const kept = found.keeps.flatMap((name) => (after[name] ? [[name, after[name]] as const] : []));
    isPlanting = true;
    write({ ...found.stored, ...Object.fromEntries(kept) });
    isPlanting = false;
  }

  const put = (item: object) => write(toItem(item));
  for (const item of crowd?.items ?? []) put(item);
  for (const { stored } of planted.values()) plant({ pk: stored.pk?.S ?? "", sk: stored.sk?.S ?? "" });
  for (const { key, replicas, selector = `app=${key.slice(key.indexOf("/") + 1)}` } of crowd?.targets ?? [])
    far.add(key, replicas, { selector });
  for (const [metricName, value] of Object.entries(crowd?.values ?? {}))
    far.external.set(metricName, [{ metricName, metricLabels: {}, timestamp, value: String(value) }]);
  return { put, plant, isPlanting: () => isPlanting };
}

/** As toItem, which makes no bytes. */
function itemOf(plain: PlantedItem["item"]): Item {
  const values = Object.entries(plain);
  const bytes = values.flatMap(([name, value]) => (value instanceof Uint8Array ? [[name, { B: value }] as const] : []));
  const others = values.filter(([, value]) => !(value instanceof Uint8Array));
  return { ...toItem(Object.fromEntries(others)), ...Object.fromEntries(bytes) };
}
