import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeCloudWatch } from "../../fakes/cloudwatch/start-cloudwatch";
import type { ApiServer } from "../servers/api-server";
import type { Kafka } from "../servers/kafka";
import type { Rabbitmq } from "../servers/rabbitmq";

export async function fillRabbitmq(rabbitmq: Rabbitmq): Promise<void> {
  for (const queue of ["orders", "idle"]) await rabbitmq.call("PUT", `/queues/%2F/${queue}`, { durable: true });
  const message = { properties: {}, routing_key: "orders", payload: "work", payload_encoding: "string" };
  for (let sent = 0; sent < 5; sent += 1) await rabbitmq.call("POST", "/exchanges/%2F/amq.default/publish", message);
}

/** Of 9, 10 and 11 messages in the partitions of "orders", the group has read 1, 1 and all. */
export async function fillKafka(kafka: Kafka): Promise<void> {
  for (const topic of ["orders", "empty"])
    await kafka.tool("TopicCommand", ["--create", "--topic", topic, "--partitions", "3"]);
  const lines = Array.from({ length: 30 }, (_, at) => `key-${at}:work ${at}\n`).join("");
  const keyed = ["--topic", "orders", "--property", "parse.key=true", "--property", "key.separator=:"];
  await kafka.tool("ConsoleProducer", keyed, lines);
  const folder = mkdtempSync(join(tmpdir(), "ebb-e2e-keda-"));
  const file = join(folder, "offsets");
  writeFileSync(file, "orders,0,1\norders,1,1\norders,2,11\n");
  const reset = ["--reset-offsets", "--group", "invoices", "--from-file", file, "--execute"];
  await kafka.tool("consumer.group.ConsumerGroupCommand", reset);
  rmSync(folder, { recursive: true });
}

/**
 * `Backlog` has 4, 8, 4, 8, 4 and 8 in each minute of an hour, whenever it is read. `Growing` has 7 six times in each
 * minute, from the one that has ended at the instant that this returns.
 */
export function fillCloudWatch(cloudwatch: FakeCloudWatch): number {
  const last = Math.floor(Date.now() / 60_000) * 60;
  const samples = Array.from({ length: 720 }, (_, at) => [last + 3_600 - at * 10, 4 + 4 * (at % 2)] as const);
  const metric = (name: string) => ({
    ...{ Namespace: "App", MetricName: name, Dimensions: [{ Name: "Queue", Value: "orders" }] },
  });
  cloudwatch.put(metric("Backlog"), samples);
  cloudwatch.put(
    metric("Growing"),
    samples.filter(([at]) => at >= last - 60).map(([at]) => [at, 7] as const),
  );
  return last * 1000;
}

export async function fillCluster(apiServer: ApiServer): Promise<void> {
  await apiServer.admin.create("/api/v1/namespaces", { metadata: { name: "shop" } });
  const phases = { a: "Running", b: "Running", c: "Pending", d: "Succeeded", e: "Failed", f: "Unknown" };
  const pods = "/api/v1/namespaces/shop/pods";
  for (const [name, phase] of Object.entries(phases)) {
    const spec = { containers: [{ name: "app", image: "app" }] };
    await apiServer.admin.create(pods, { metadata: { name, labels: { app: "backend" } }, spec });
    await apiServer.admin.patch(`${pods}/${name}/status`, { status: { phase } });
  }
}
