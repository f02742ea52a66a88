import type { HpaKey } from "../../../lib/model/hpa-key";
import { isHpaKey } from "../../../lib/model/hpa-key";
import { fromItem, type Item } from "../../../lib/table/items/attributes";
import { hpaItemKey } from "../../../lib/table/items/keys";
import { ebb } from "../../cli/run-ebb";
import { type Deployment, openDeployment, queueMetric } from "./deployment";
import { junkOf } from "./junk";

/**
 * A team writes junk wherever examples/team-policy.json lets it. Whatever it is, the clusters before and after the
 * team's are decided, woken, watched, listed and explained exactly as without it, and the team's own cluster says by
 * name what is wrong.
 */
const team = "team";
const neighbours = ["aaa", "zzz"] as const;
const keys: readonly [HpaKey, ...HpaKey[]] = ["ops/jobs", "shop/slow", "shop/web"];
const queueOf = (cluster: string, key: HpaKey) => `${cluster}-${key.replace("/", "-")}`;

interface Seen {
  readonly broken: readonly string[];
  /** What becomes of each neighbour. */
  readonly neighbours: object;
  readonly day: Deployment;
}

async function live(junk: readonly Item[]): Promise<Seen> {
  const day = openDeployment([...neighbours, team]);
  for (const cluster of [...neighbours, team]) {
    await day.register(cluster);
    for (const key of keys) {
      const period = key === "shop/slow" ? { metadata: { annotations: { "ebb.dev/sync-period": "60s" } } } : {};
      await day.add(cluster, key, [queueMetric(queueOf(cluster, key))], period);
    }
  }
  const load = (value: number) => {
    for (const cluster of neighbours) for (const key of keys) day.values.set(queueOf(cluster, key), value);
  };
  const write = () => {
    for (const Item of junk) day.items.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
  };
  const woken = [];

  load(12);
  await day.minute();
  write();
  await day.minute();
  load(30);
  // A batch of the stream has records of all clusters.
  const changes = neighbours.map((cluster) => recordOf({ ...hpaKeys(cluster, "shop/web"), spec: { S: "changed" } }));
  await day.wake({ Records: [...junk.map(recordOf), ...changes] });
  write();
  await day.wake({ Records: neighbours.map((cluster) => sns(queueOf(cluster, "ops/jobs"))) });
  woken.push(sizes(day));
  load(0);
  await day.minute();
  write();
  await day.minute();
  load(4);
  const { woken: count } = await day.watch(8_000);
  await day.deliver(day.now());
  woken.push(sizes(day));
  write();
  await day.minute();
  const told = (cluster: string) => ({
    writes: day.farOf(cluster).writes,
    readings: day.readings.filter((line) => line.startsWith(`${cluster} `)),
    failures: day.failures.filter((line) => line.cluster === cluster),
    items: [`CLUSTER#${cluster}`, `INDEX#${cluster}`].flatMap((pk) => day.items.items(pk).map(plain)),
    shards: day.items
      .items("SHARD")
      .map(plain)
      .filter(({ sk }) => String(sk).startsWith(`${cluster}#`)),
  });
  const commands = [];
  for (const cluster of neighbours)
    for (const args of verbs)
      commands.push(await ebb([...args, "--cluster", cluster], { table: day.table, now: day.now }));
  return { broken: day.broken, neighbours: { told: neighbours.map(told), woken, count, commands }, day };
}

const verbs = [
  ["get", "hpa", "-A"],
  ["get", "events", "-A"],
  ["describe", "hpa", "web", "-n", "shop"],
  ["explain", "hpa", "web", "-n", "shop"],
  ["status"],
  ["doctor"],
];

const sizes = (day: Deployment) =>
  neighbours.map((cluster) => keys.map((key) => day.farOf(cluster).scales.get(key)?.replicas));
const sns = (queue: string) => ({ Sns: { Message: JSON.stringify({ queue }) } });
const hpaKeys = (cluster: string, key: HpaKey) => {
  const { pk, sk } = hpaItemKey(cluster, key);
  return { pk: { S: pk }, sk: { S: sk } };
};
const recordOf = (item: Item) => ({
  dynamodb: { Keys: { pk: item["pk"], sk: item["sk"] }, NewImage: item },
});

/** Without what is random in each write. */
function plain(item: Item): Record<string, unknown> {
  const { writeToken: _token, ...rest } = fromItem(item);
  return rest;
}

let control: Promise<Seen> | undefined;

test("without junk, the day is one in which everything happens", async () => {
  control ??= live([]);
  const { broken, neighbours: seen, day } = await control;
  expect(broken).toEqual([]);
  expect(day.failures).toEqual([]);
  expect(seen).toMatchObject({
    woken: [
      [
        [6, 3, 6],
        [6, 3, 6],
      ],
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
    ],
  });
});

test.each([1, 2, 3])("junk %i of a team reaches nobody else, and is reported by name", async (seed) => {
  control ??= live([]);
  const { neighbours: expected } = await control;
  const junk = junkOf(seed, team, keys, 120);
  const { broken, neighbours: seen, day } = await live(junk);
  expect(broken).toEqual([]);
  expect(seen).toEqual(expected);
  const failures = day.failures.filter(({ cluster }) => cluster === team);
  const said = failures.map(({ key = "", message }) => `${key} ${message}`).join("\n");
  const named = junk.flatMap(({ sk }) => /^(?:HPA|STATE)#(.*)$/s.exec(sk?.S ?? "")?.[1] ?? []).filter(isHpaKey);
  expect([...new Set(named)].filter((key) => !said.includes(key))).toEqual([]);
});
