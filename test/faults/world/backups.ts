import { toItem } from "../../../lib/table/items/attributes";
import { clusterPrefix, hpaPrefix, indexPartition } from "../../../lib/table/items/keys";
import type { Checker } from "../checks/checker";
import type { Act, Story } from "../stories/story";
import type { FakeCluster } from "../../fakes/fake-cluster";
import type { Item, MemoryTable } from "./memory-table";
import type { PodWorld } from "./pods";

type Restore = Extract<Act, { readonly do: "backUp" | "putBack" }>;

export interface BackupsDeps {
  readonly story: Story;
  readonly table: MemoryTable;
  readonly checker: Checker;
  readonly pods: PodWorld;
  readonly farOf: (key: string) => FakeCluster;
  readonly clusterOf: (key: string) => string;
}

interface Backup {
  readonly items: readonly Item[];
  readonly sizes: ReadonlyMap<string, number>;
}

/** A table and a cluster that somebody puts back to an older moment. Entries are in Git, so they stay. */
export function openBackups({ story, table, checker, pods, farOf, clusterOf }: BackupsDeps) {
  const keys = story.hpas.map(({ key }) => key);
  const clusters = [...new Set(keys.map(clusterOf))];
  let last: Backup = { items: [], sizes: new Map() };

  function written(): readonly Item[] {
    const own = clusters.flatMap((cluster) => table.items(clusterPrefix + cluster));
    const isOurs = ({ sk }: Item) => sk?.S !== "CLUSTER" && sk?.S?.startsWith(hpaPrefix) !== true;
    const indexes = clusters.flatMap((cluster) => table.items(indexPartition + cluster));
    return [...own.filter(isOurs), ...indexes, ...table.items("SHARD")];
  }

  function sizes(): ReadonlyMap<string, number> {
    return new Map(
      keys.flatMap((key) => {
        const target = farOf(key).scales.get(key);
        return target === undefined ? [] : [[key, target.replicas] as const];
      }),
    );
  }

  function putTableBack(): void {
    const idOf = ({ pk, sk }: Item) => `${pk?.S}\n${sk?.S}`;
    const backup = new Set(last.items.map(idOf));
    for (const item of written())
      if (!backup.has(idOf(item)))
        table.execute({
          action: "DeleteItem",
          input: { TableName: "ebb", Key: toItem({ pk: item["pk"]?.S, sk: item["sk"]?.S }) },
        });
    for (const Item of last.items) table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
    for (const key of keys) checker.tablePutBack(key);
  }

  function putClusterBack(isMadeAgain: boolean): void {
    for (const [key, replicas] of last.sizes) {
      const far = farOf(key);
      const target = far.scales.get(key);
      if (target === undefined) continue;
      const from = target.replicas;
      if (isMadeAgain) {
        far.add(key, replicas, { selector: target.selector });
        checker.targetMade(key);
      } else {
        target.replicas = replicas;
        far.touch(key);
        if (from !== replicas) checker.scaledByHand(key, from, replicas);
      }
      pods.resized(key);
      if (replicas === 0 && from !== 0) checker.zeroPutBack(key);
    }
  }

  return {
    act(each: Restore): void {
      if (each.do === "backUp") last = { items: written(), sizes: sizes() };
      else if (each.of === "table") putTableBack();
      else putClusterBack(each.isMadeAgain);
    },
  };
}
