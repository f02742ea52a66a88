import { openStore } from "../../lib/table/store";
import { putCluster } from "../../local/entries";
import { openEntries } from "../../lib/table/entries";
import { fixture, queueSpec, slotAt, start } from "../sync/sync-fixture";
import { toItem } from "../../lib/table/items/attributes";
import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { ebb } from "./run-ebb";
import { signal, tableForTests } from "./table";

/** docs/deploy.md, Backup and restore: entries of a restored table are applied to the stack's own. */
const restored = tableForTests();
const live = tableForTests();

const storeOf = ({ table }: typeof live) =>
  openStore({ client: table().client, table: table().name, now: () => start });
const shard = { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };

async function copy(type: string): Promise<void> {
  const given = await ebb(["get", type, "-A", "--cluster", "prod", "-o", "yaml"], { table: restored.table() });
  expect([given.exitCode, given.stderr]).toEqual([0, ""]);
  const applied = await ebb(["apply", "--cluster", "prod", "-f", "-"], { table: live.table(), stdin: given.stdout });
  expect([applied.exitCode, applied.stderr]).toEqual([0, ""]);
}

test("what people wrote comes over, and a zero that ebb made still wakes", async () => {
  const world = fixture();
  const put = (sk: string, more: object) =>
    restored
      .table()
      .client.send(
        new PutItemCommand({ TableName: restored.table().name, Item: toItem({ pk: "CLUSTER#prod", sk, ...more }) }),
      );
  const spec = { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } } as const;
  await putCluster(restored.table(), "prod", spec);
  await put("SOURCE#backlog", { spec: { kind: "sqs", parameters: { queue: "backlog" } } });
  await put("HPA#shop/orders", { spec: queueSpec, metadata: { labels: { team: "a" } } });
  await storeOf(restored).createShard(shard, signal);
  world.depth(0);
  for (let slot = 1; slot <= 6; slot++) await world.sync(slot, { store: storeOf(restored) });
  expect(world.replicasNow()).toBe(0);

  for (const type of ["clusters", "sources", "hpa"]) await copy(type);
  const entries = openEntries(live.table());
  const [cluster] = await entries.list("Cluster", {}, signal);
  const [source] = await entries.list("MetricSource", { cluster: "prod" }, signal);
  const [hpa] = await entries.list("HorizontalPodAutoscaler", { cluster: "prod" }, signal);
  expect([cluster?.document["spec"], source?.document["spec"]]).toEqual([
    spec,
    { kind: "sqs", parameters: { queue: "backlog" } },
  ]);
  expect(hpa?.document).toMatchObject({ metadata: { labels: { team: "a" } }, spec: { maxReplicas: 10 } });

  await storeOf(live).createShard({ ...shard, heartbeat: slotAt(6) }, signal);
  world.depth(20);
  await world.sync(7, { store: storeOf(live) });
  expect(world.replicasNow()).toBe(4);
});
