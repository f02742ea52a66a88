import { checkSchedule } from "../../../cli/understand/doctor/check-schedule";
import { openStore } from "../../../lib/table/store";
import { shard } from "../explain/explained";
import { now, signal, tableForTests } from "../table";

/**
 * Doctor, status and explain agree on what is too young to be late: the first slot comes with the next tick, which
 * takes up to 90 s, and then a period of 15 s passes.
 */
const { run, table, file, folder } = tableForTests();
const cluster = (name: string) => `apiVersion: ebb.dev/v1
kind: Cluster
metadata: {name: ${name}}
spec: {endpoint: "https://127.0.0.1:1", auth: {type: kubeconfig, file: /nowhere}}
`;
const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 5
`;
const seconds = (after: number) => ({ now: () => now + after * 1_000, env: { TZ: "UTC" } });
const ebb = (after: number, ...args: readonly string[]) => run([...args, "--directory", folder()], seconds(after));
const apply = async (name: string, after: number) => {
  await ebb(after, "apply", "-f", await file(cluster(name)));
  await ebb(after, "apply", "-f", await file(hpa), "--cluster", name);
};
const scheduleLine = async (name: string, after: number) =>
  (await ebb(after, "doctor", name)).stdout.split("\n").find((line) => line.includes("shards are synced in time"));
const stateIn = async (name: string, after: number) =>
  (await ebb(after, "status", "--cluster", name)).stdout
    .split("\n")
    .find((line) => line.startsWith(`${name} `) && /none|all/.test(line));
const explained = async (name: string, after: number) =>
  (await ebb(after, "explain", "hpa", "web", "-n", "shop", "--cluster", name)).stdout;
const store = () => openStore({ client: table().client, table: table().name, now: () => now });

test("a cluster that was applied just now, before its first tick", async () => {
  await apply("new", 0);
  const due = /first (slot|sync) is due by .*:\d1:45 \S+ \(in 95s\)/;
  expect(await scheduleLine("new", 10)).toMatch(
    /^ {2}\.\. {4}its shards are synced in time: not yet: its first slot is due/,
  );
  for (const line of [await scheduleLine("new", 10), await stateIn("new", 10), await explained("new", 10)])
    expect(line).toMatch(due);
  expect(await scheduleLine("new", 105)).toMatch(/FAIL {2}/);
  expect(await stateIn("new", 105)).toMatch(/the tick has not run since it was registered$/);
});

test("its first shard, before its first slot", async () => {
  await apply("first", 0);
  await store().createShard({ ...shard, cluster: "first", version: 1, slot: 0, heartbeat: now + 20_000 }, signal);
  const due = /first (slot|sync) is due by .*:\d2:05 \S+ \(in 95s\)/;
  for (const line of [await scheduleLine("first", 30), await stateIn("first", 30), await explained("first", 30)])
    expect(line).toMatch(due);
  expect(await explained("first", 30)).toContain("shop/web is new, and not synced yet.");
  expect(await scheduleLine("first", 125)).toMatch(/FAIL {2}/);
  expect(await stateIn("first", 125)).toMatch(/ never .* late$/);
  expect(await explained("first", 125)).toContain("was never synced: no slot was ever finished");
});

test("a cluster that was deleted and applied again: what its shard said before is nothing about now", async () => {
  await apply("again", 0);
  const failure = 'cluster "again": expected an item, got none';
  await store().createShard(
    { ...shard, cluster: "again", version: 1, slot: now + 3_000, heartbeat: now + 3_000, failure },
    signal,
  );
  await ebb(5, "delete", "cluster", "again", "--cascade");
  await apply("again", 8);
  for (const line of [await scheduleLine("again", 10), await stateIn("again", 10), await explained("again", 10)]) {
    expect(line).toMatch(/first (slot|sync) is due by .*:\d1:53 \S+ \(in 103s\)/);
    expect(line).not.toContain("expected an item");
  }
  expect((await ebb(10, "doctor", "again")).stdout).not.toMatch(/clock|late/);
});

test("an HPA that was applied just now to a cluster in time", async () => {
  await apply("old", -3_600);
  await store().createShard({ ...shard, cluster: "old", version: 1, slot: now, heartbeat: now }, signal);
  await ebb(1, "delete", "hpa", "web", "-n", "shop", "--cluster", "old");
  await ebb(2, "apply", "-f", await file(hpa), "--cluster", "old");
  expect(await scheduleLine("old", 10)).toMatch(/^ {2}ok {4}/);
  expect(await explained("old", 10)).toMatch(/its first sync is due by .*:\d0:32 \S+ \(in 22s\)/);
  expect(await explained("old", 40)).toMatch(
    /was never synced: its first sync was due by .*, and the slots of its shard are in time/,
  );
});

describe("what is late, of a cluster that functions sync", () => {
  const auth = { type: "token", secret: "ebb/prod" } as const;
  const entry = { key: "prod", value: { name: "prod", spec: { auth }, registeredAt: now - 3_600_000 } };
  const at = (slot: number) => ({ ...shard, version: 1, slot, heartbeat: now - 3_000_000 });

  test.each<[string, readonly ReturnType<typeof at>[], string]>([
    ["no shard", [], "it has no shards: the tick has not run since it was registered"],
    ["a slot an hour ago", [at(now), at(now - 3_600_000)], "1 of 2 are late, the last slot was 60m ago"],
    ["no slot at all", [at(0)], "1 of 1 are late, 1 never finished a slot"],
    ["both", [at(0), at(now - 3_600_000)], "2 of 2 are late, 1 never finished a slot"],
  ])("%s", (_, shards, why) => {
    const start = undefined;
    expect(checkSchedule(entry, { shards, start }, now)).toMatchObject({ kind: "fail", why });
  });
});
