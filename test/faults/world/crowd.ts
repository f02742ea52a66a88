import { toItem } from "../../../lib/table/items/attributes";
import type { FakeCluster } from "../../fakes/fake-cluster";
import type { Crowd } from "../stories/story";
import type { MemoryTable } from "./memory-table";

export interface CrowdDeps {
  readonly crowd: Crowd | undefined;
  readonly table: MemoryTable;
  readonly far: FakeCluster;
}

const timestamp = "2026-03-01T12:00:00Z";

/** Puts a story's crowd into the table and the cluster. No wake hears of it: it was there before. */
export function openCrowd({ crowd, table, far }: CrowdDeps) {
  const put = (item: object) =>
    void table.execute({ action: "PutItem", input: { TableName: "ebb", Item: toItem(item) } });
  for (const item of crowd?.items ?? []) put(item);
  for (const { key, replicas, selector = `app=${key.slice(key.indexOf("/") + 1)}` } of crowd?.targets ?? [])
    far.add(key, replicas, { selector });
  for (const [metricName, value] of Object.entries(crowd?.values ?? {}))
    far.external.set(metricName, [{ metricName, metricLabels: {}, timestamp, value: String(value) }]);
  return { put };
}
