import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { manualClock } from "../../../local/clock";
import { isConditionTrue } from "../../../local/backends/kubernetes/controllers/machinery";
import { deployments, pods } from "../../../local/backends/kubernetes/resources/kinds";
import type { Simulation, SimulationOptions } from "../../../local/demo/simulation";
import { startSimulation } from "../../../local/demo/simulation";
import { clientOf } from "../backends/kubernetes/client";

const start = Date.parse("2026-01-01T00:00:00Z");
const open: Simulation[] = [];

async function setUp(options: SimulationOptions = {}) {
  const clock = manualClock(start);
  const simulation = await startSimulation({ clock, ...options });
  open.push(simulation);
  const ready = (app: string): number =>
    simulation.cluster.store
      .list(pods, simulation.namespace)
      .filter((pod) => Object.values(pod.metadata.labels ?? {}).includes(app) && isConditionTrue(pod, "Ready")).length;
  const call = clientOf(simulation.cluster);
  const scale = async (path: string, replicas: number) => {
    const scalePath = `${path.replace("NS", simulation.namespace)}/scale`;
    const { body } = await call("GET", scalePath);
    expect((await call("PUT", scalePath, { body: { ...body, spec: { replicas } } })).status).toBe(200);
  };
  return { clock, simulation, ready, scale, call };
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((simulation) => simulation.close()));
});

const orders = "/apis/apps/v1/namespaces/NS/deployments/orders";
const invoices = "/apis/demo.ebb.dev/v1/namespaces/NS/workers/invoices";

test("a burst comes, consumers that are scaled up drain it, and at zero nobody reads", async () => {
  const { clock, simulation, ready, scale } = await setUp();
  clock.advance(3_100);
  const { sent = 0, processed, left } = simulation.summary()["orders"] ?? {};
  expect([sent >= 34 && sent < 46, processed, left]).toEqual([true, 0, sent]);

  const client = new SQSClient({
    endpoint: simulation.sqs.endpoint,
    region: simulation.sqs.region,
    credentials: simulation.sqs.credential,
  });
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: simulation.sqs.queueUrl("orders"),
      AttributeNames: ["ApproximateNumberOfMessages"],
    }),
  );
  client.destroy();
  expect(Attributes).toEqual({ ApproximateNumberOfMessages: String(sent) });

  await scale(orders, 8);
  clock.advance(15_000);
  expect([ready("orders"), simulation.summary()["orders"]]).toEqual([8, { sent, processed: sent, left: 0 }]);
  await scale(orders, 0);
  clock.advance(5_000);
  expect(ready("orders")).toBe(0);
  clock.advance(25_000);
  expect(simulation.summary()["orders"]?.left).toBeGreaterThan(0);
});

test("the custom resource consumes too, and shows its selector in its scale", async () => {
  const { clock, simulation, ready, scale, call } = await setUp();
  await scale(invoices, 3);
  clock.advance(5_000);
  expect(ready("invoices")).toBe(3);
  const { body } = await call("GET", `${invoices.replace("NS", simulation.namespace)}/scale`);
  expect(body.status).toEqual({ replicas: 3, selector: "worker=invoices" });
  clock.advance(20_000);
  expect(simulation.summary()["invoices"]).toMatchObject({ left: 0 });
  expect(simulation.summary()["invoices"]?.processed).toBeGreaterThanOrEqual(10);
});

test("the web pods share a demand for CPU that goes up and down", async () => {
  const { clock, simulation, call } = await setUp({ replicas: { web: 2 } });
  const millicores = async (): Promise<number[]> => {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${simulation.namespace}/pods?labelSelector=app%3Dweb`;
    const { body } = await call("GET", path);
    return body.items.map((item) => parseInt(item.containers[0]?.usage.cpu ?? "", 10));
  };
  clock.advance(10_000);
  const low = await millicores();
  clock.advance(50_000);
  const high = await millicores();
  expect([low.length, high.length]).toEqual([2, 2]);
  for (const each of low) expect(each).toBeLessThan(200);
  for (const each of high) expect(each).toBeGreaterThan(650);
});

test("the same seed gives the same story", async () => {
  const story = async (seed: number) => {
    const { clock, simulation, scale } = await setUp({ seed });
    await scale(orders, 4);
    clock.advance(60_000);
    return simulation.snapshot();
  };
  const first = await story(5);
  expect(await story(5)).toEqual(first);
  expect(await story(6)).not.toEqual(first);
});

test("continues from a snapshot: same objects, same messages, same replicas", async () => {
  const { clock, simulation, scale } = await setUp();
  await scale(orders, 2);
  clock.advance(6_000);
  const { left = 0 } = simulation.summary()["orders"] ?? {};
  const uid = simulation.cluster.store.get(deployments, simulation.namespace, "orders")?.metadata.uid;
  const snapshot = JSON.parse(JSON.stringify(simulation.snapshot())) as ReturnType<Simulation["snapshot"]>;

  const next = await setUp({ snapshot, bursts: [] });
  expect(left).toBeGreaterThan(4);
  expect(next.simulation.summary()["orders"]).toMatchObject({ left });
  const restored = next.simulation.cluster.store.get(deployments, simulation.namespace, "orders");
  expect([restored?.metadata.uid, restored?.spec?.["replicas"]]).toEqual([uid, 2]);
  next.clock.advance(60_000);
  expect(next.simulation.summary()["orders"]).toEqual({ sent: 0, processed: left, left: 0 });
});

test("closed, nothing of it is left: the process could end", async () => {
  const simulation = await startSimulation();
  await simulation.close();
  await expect(clientOf(simulation.cluster)("GET", "/version")).rejects.toThrow("ECONNREFUSED");
});
