import type { HpaKey } from "../../../lib/model/hpa-key";
import { toItem } from "../../../lib/table/items/attributes";
import { clusterKey, eventsKey, hpaItemKey, stateKey } from "../../../lib/table/items/keys";
import type { Checker } from "../checks/checker";
import type { Act, Lie, Story } from "../stories/story";
import type { Reply, Route } from "./api-server";
import type { WorldClock } from "./clock";
import { hostileAnswer, hostileItem, unconfirmedKeys } from "./hostile";
import type { Item, MemoryTable } from "./memory-table";
import { metricId } from "./metric-id";
import type { PodWorld } from "./pods";
import { mix } from "./wire";
import type { Entry } from "./entries";

type Trouble = Extract<
  Act,
  {
    readonly do:
      | ("corrupt" | "corruptCluster" | "stray" | "repair" | "repairCluster")
      | ("lie" | "outage" | "stalePods" | "missingPods");
  }
>;

export interface TroublesDeps {
  readonly clock: WorldClock;
  readonly story: Story;
  readonly table: MemoryTable;
  readonly checker: Checker;
  readonly pods: PodWorld;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly clusterOf: (key: string) => string;
  /** The stream's record of a user's write. */
  readonly announce: (dynamodb: object) => void;
  readonly write: (key: string) => void;
  readonly writeCluster: (cluster: string) => void;
}

/** What was answered last may still be under way. */
const underWayMs = 20_000;

/** What users break in the table, and what backends answer instead of what they mean. */
export function openTroubles(deps: TroublesDeps) {
  const { clock, story, table, checker, pods, entries, clusterOf } = deps;
  const lies: { readonly key: string; readonly about: Lie; readonly how: number; readonly until: number }[] = [];
  const outages = new Map<string, { readonly how: string; readonly until: number }>();
  const brokenClusters = new Set<string>();
  let answers = 0;

  const keysOf = (cluster: string) => story.hpas.map(({ key }) => key).filter((key) => clusterOf(key) === cluster);

  function put(item: Item): void {
    const { pk, sk } = item;
    const before = table.item(pk?.S ?? "", sk?.S ?? "");
    table.execute({ action: "PutItem", input: { TableName: "ebb", Item: item } });
    deps.announce({ Keys: { pk, sk }, ...(before && { OldImage: before }), NewImage: item });
  }

  function remove(pk: string, sk: string): void {
    table.execute({ action: "DeleteItem", input: { TableName: "ebb", Key: toItem({ pk, sk }) } });
  }

  function usable(key: string) {
    const entry = entries.get(key);
    return entry?.isThere === true ? entry : undefined;
  }

  function corrupt({ hpa, item: kind, how }: Extract<Trouble, { do: "corrupt" }>): void {
    const key = hpa as HpaKey;
    const keys = { HPA: hpaItemKey, STATE: stateKey, EVENTS: eventsKey }[kind](clusterOf(hpa), key);
    const item = table.item(keys.pk, keys.sk);
    if (item === undefined) return;
    if (kind !== "EVENTS") checker.corrupted(hpa);
    put(hostileItem(item, how));
  }

  function corruptCluster({ cluster, item: kind, how }: Extract<Trouble, { do: "corruptCluster" }>): void {
    const { pk, sk } = clusterKey(cluster);
    const shards = table.items("SHARD").filter((item) => item["sk"]?.S?.startsWith(`${cluster}#`));
    const item = kind === "CLUSTER" ? table.item(pk, sk) : shards[how % Math.max(1, shards.length)];
    if (item === undefined) return;
    for (const key of keysOf(cluster)) checker.corrupted(key);
    brokenClusters.add(cluster);
    checker.shardBroken(cluster);
    put(hostileItem(item, how));
  }

  function repairCluster(cluster: string): void {
    deps.writeCluster(cluster);
    brokenClusters.delete(cluster);
    for (const item of table.items("SHARD"))
      if (item["sk"]?.S?.startsWith(`${cluster}#`)) remove("SHARD", item["sk"].S);
    for (const key of keysOf(cluster)) repair(key);
  }

  /** The entry is written again, and what ebb cannot read of its own is deleted. */
  function repair(key: string): void {
    if (isDeceived(key)) return;
    const { pk, sk } = stateKey(clusterOf(key), key as HpaKey);
    remove(pk, sk);
    if (usable(key) !== undefined) deps.write(key);
    checker.repaired(key, usable(key));
  }

  /** Its cluster or its answers are still wrong: the repair of these comes later. */
  function isDeceived(key: string): boolean {
    const cluster = clusterOf(key);
    const outage = outages.get(cluster);
    const since = clock.now - underWayMs;
    const isGarbled = outage?.how === "garbage" && outage.until > since;
    return (
      brokenClusters.has(cluster) ||
      isGarbled ||
      lies.some((each) => each.key === key && each.about === "scale" && each.until > since)
    );
  }

  function lie({ hpa, about, how, ms }: Extract<Trouble, { do: "lie" }>): void {
    const until = clock.now + ms;
    lies.push({ key: hpa, about, how, until });
    if (about !== "scale") return;
    checker.corrupted(hpa);
    clock.after(ms + underWayMs, undefined, () => repair(hpa));
  }

  function outage({ cluster, how, ms }: Extract<Trouble, { do: "outage" }>): void {
    outages.set(cluster, { how, until: clock.now + ms });
    checker.out(cluster, clock.now + ms);
    if (how !== "garbage") return;
    for (const key of keysOf(cluster)) checker.corrupted(key);
    clock.after(ms + underWayMs, undefined, () => {
      for (const key of keysOf(cluster)) repair(key);
    });
  }

  function liesAbout({ name, namespace, object }: Route, { key, about }: (typeof lies)[number]): boolean {
    const isHere = key.startsWith(`${namespace}/`);
    switch (about) {
      case "scale":
        return (name === "getScale" || name === "putScale") && `${namespace}/${object}` === key;
      case "metric":
        return name === "externalMetric" && object.startsWith(metricId(key, 0).slice(0, -1));
      case "pods":
        return name === "listPods" && isHere;
      case "podMetrics":
        return (name === "podMetrics" || name === "podsMetric") && isHere;
    }
  }

  return {
    distorterOf: (cluster: string) => (route: Route, reply: Reply) => {
      answers += 1;
      const { how = "", until = 0 } = outages.get(cluster) ?? {};
      if (until > clock.now) {
        if (how === "hang") return undefined;
        if (how === "refuse") return { status: [401, 403, 500, 503][answers % 4]!, body: "no" };
        return { ...reply, body: hostileAnswer(reply.body, mix(story.seed, answers, 3)) };
      }
      const own = lies.find((each) => each.until > clock.now && liesAbout(route, each));
      if (own === undefined || clusterOf(own.key) !== cluster) return reply;
      return { ...reply, body: hostileAnswer(reply.body, mix(own.how, answers, 5)) };
    },
    act(each: Trouble): void {
      switch (each.do) {
        case "corrupt":
          return corrupt(each);
        case "corruptCluster":
          return corruptCluster(each);
        case "stray": {
          const sk = unconfirmedKeys[each.how % unconfirmedKeys.length]!;
          const { pk } = clusterKey(each.cluster);
          const [like] = keysOf(each.cluster);
          const found = table.item(pk, `HPA#${like ?? ""}`) ?? toItem({ pk, sk });
          if (sk.startsWith("HPA#")) checker.corrupted(sk.slice("HPA#".length));
          return put({ ...(each.how % 2 === 0 ? found : hostileItem(found, each.how)), pk: { S: pk }, sk: { S: sk } });
        }
        case "repair":
          return repair(each.hpa);
        case "repairCluster":
          return repairCluster(each.cluster);
        case "lie":
          return lie(each);
        case "outage":
          return outage(each);
        case "stalePods":
          return pods.goStale(each.hpa, each.of, clock.now + each.ms);
        case "missingPods":
          return pods.goMissing(each.hpa, each.every, clock.now + each.ms);
      }
    },
  };
}
