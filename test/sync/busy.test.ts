import type { Pod } from "../../lib/k8s/objects";
import type { HpaSpec } from "../../lib/k8s/hpa";
import { Fault } from "../../lib/model/fault";
import { holdsIn } from "../../lib/model/hpa-signs";
import type { Cluster } from "../../lib/model/ports/cluster";
import { fixture, queueSpec, slotAt } from "./sync-fixture";

const cost = "controller.kubernetes.io/pod-deletion-cost";
const ownCost = "ebb.dev/pod-deletion-cost";
const mark = "worker.example/busy";
const ordering = { "ebb.dev/busy": `annotation: ${mark}` };
const sparing = { ...ordering, "ebb.dev/spare-busy": "true" };

const atOnce = { stabilizationWindowSeconds: 0 };

interface Given {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly kind?: string;
  readonly replicas?: number;
  readonly scaleDown?: NonNullable<HpaSpec["behavior"]>["scaleDown"];
}

/** Ten workers. The queue wants `want` of them; those named in `busy` are busy. */
function day({ annotations = sparing, kind = "Deployment", replicas = 10, scaleDown = atOnce }: Given = {}) {
  const spec: HpaSpec = { ...queueSpec, behavior: { scaleDown } };
  const made = fixture({ spec, replicas });
  const target = { apiVersion: "apps/v1", kind, name: "orders" };
  const write = (more: Readonly<Record<string, string>>, scaleTargetRef = target) =>
    void made.store.documents.set("prod shop/orders", {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { namespace: "shop", name: "orders", annotations: more },
      spec: { ...spec, scaleTargetRef },
    });
  const annotate = (more: Readonly<Record<string, string>>) => write(more);
  const retarget = (name: string) => write(annotations, { ...target, name });
  annotate(annotations);
  const { cluster } = made;
  if (kind === "StatefulSet") cluster.add("statefulsets.apps shop/orders", replicas, { selector: "app=orders" });
  cluster.pods = Array.from({ length: replicas }, (_, index) => workerPod(index));
  let slot = 0;
  const want = (size: number) => made.depth(size * 5);
  want(replicas);
  const change = (index: number, patch: (pod: Pod) => Pod) => {
    const name = `orders-${index}`;
    cluster.pods = cluster.pods.map((pod) => (pod.metadata.name === name ? bumped(patch(pod)) : pod));
  };
  let version = 1_000;
  const bumped = (pod: Pod): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, resourceVersion: String(++version) },
  });
  const busy = (...indexes: readonly number[]) => {
    for (const index of Array.from({ length: replicas }, (_, one) => one))
      change(index, (pod) => withAnnotation(pod, mark, indexes.includes(index) ? "job 7" : undefined));
  };
  const annotated = (name: string) =>
    cluster.pods.flatMap(({ metadata }) =>
      metadata.annotations?.[name] === undefined ? [] : [`${metadata.name} ${metadata.annotations[name]}`],
    );
  const next = async (over: Parameters<typeof made.sync>[1] = {}) => {
    await made.sync((slot += 1), over);
    return made.replicasNow();
  };
  /** One slot sets the costs, and the next one the size. */
  const shrink = async (over: Parameters<typeof made.sync>[1] = {}) => {
    const before = made.replicasNow();
    expect(await next(over)).toBe(before);
    return next(over);
  };
  /** By then, a patch that got no answer has landed. */
  const minutePasses = async (over: Parameters<typeof made.sync>[1] = {}) => {
    for (let passed = 0; passed < 6; passed++) await next(over);
  };
  const helpers = { annotated, next, shrink, minutePasses, slot: () => slot };
  return { ...made, want, change, busy, annotate, retarget, ...helpers };
}

function workerPod(index: number): Pod {
  const name = `orders-${index}`;
  const metadata = { name, namespace: "shop", resourceVersion: "1", labels: { app: "orders" } };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "orders-1", controller: true };
  return {
    metadata: { ...metadata, ...{ ownerReferences: [owner] } },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

function withAnnotation(pod: Pod, name: string, value: string | undefined): Pod {
  const { [name]: _, ...others } = pod.metadata.annotations ?? {};
  const annotations = value === undefined ? others : { ...others, [name]: value };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** The ReplicaSet controller: removes the pods with the lowest cost. */
function removePods({ cluster }: ReturnType<typeof day>, left: number): readonly string[] {
  const costOf = ({ metadata }: Pod) => Number(metadata.annotations?.[cost] ?? 0);
  const ranked = [...cluster.pods].sort((a, b) => costOf(a) - costOf(b));
  const gone = ranked.slice(0, cluster.pods.length - left).map(({ metadata }) => metadata.name);
  cluster.pods = cluster.pods.filter(({ metadata }) => !gone.includes(metadata.name));
  return gone;
}

/** A cluster in which something happens between a list of the pods and what is done with it. */
function afterEachList(shop: ReturnType<typeof day>, happens: (list: number) => void | Promise<void>) {
  let lists = 0;
  const cluster: Cluster = {
    ...shop.cluster,
    async listWorkers(query, signal) {
      const listed = await shop.cluster.listWorkers(query, signal);
      await happens((lists += 1));
      return listed;
    },
  };
  return { cluster, lists: () => lists };
}

test("idle pods go first: costs a slot before the smaller size, taken away once the pods are gone", async () => {
  const shop = day();
  shop.busy(1, 4, 6, 9);
  await shop.next();
  expect(shop.cluster.calls["listWorkers"]).toBeUndefined();
  shop.cluster.scales.get("shop/orders")!.statusReplicas = 10;
  shop.want(4);
  expect(await shop.next()).toBe(10);
  expect(shop.annotated(cost)).toEqual(["orders-1 1", "orders-4 1", "orders-6 1", "orders-9 1"]);
  expect(shop.annotated(ownCost)).toEqual(shop.annotated(cost));
  expect(shop.state()?.deletionCosts).toEqual({ at: slotAt(2) + 200, since: slotAt(2) + 200, selector: "app=orders" });
  expect(shop.condition("ScalingLimited")?.message).toContain(
    "4 of 10 pods are busy; controllers may not have seen their deletion costs yet",
  );
  expect(await shop.next()).toBe(4);
  expect(shop.state()?.deletionCosts).toEqual({ at: slotAt(2) + 200, selector: "app=orders" });

  // The ReplicaSet controller has not come to it yet.
  await shop.next();
  expect(shop.annotated(cost)).toHaveLength(4);
  expect(shop.cluster.calls["listWorkers"]).toBe(2);

  const gone = removePods(shop, 4);
  expect(gone.filter((name) => ["orders-1", "orders-4", "orders-6", "orders-9"].includes(name))).toEqual([]);
  delete shop.cluster.scales.get("shop/orders")!.statusReplicas;
  await shop.next();
  expect([shop.annotated(cost), shop.annotated(ownCost)]).toEqual([[], []]);
  expect(shop.cluster.calls["listWorkers"]).toBe(3);
  // None is left, and once more when none can come any more. Between these two and after, nothing is asked.
  await shop.next();
  expect(shop.cluster.calls["listWorkers"]).toBe(4);
  for (let slot = 0; slot < 3; slot++) await shop.next();
  expect(shop.cluster.calls["listWorkers"]).toBe(4);
  await shop.minutePasses();
  expect(shop.state()?.deletionCosts).toBeUndefined();
  expect(shop.cluster.calls["listWorkers"]).toBe(5);
});

test("costs are set before the size is written", async () => {
  const shop = day();
  const order: string[] = [];
  const cluster: Cluster = {
    ...shop.cluster,
    listWorkers: (query, signal) => (order.push("list"), shop.cluster.listWorkers(query, signal)),
    setDeletionCost: (given, signal) => (order.push("cost"), shop.cluster.setDeletionCost(given, signal)),
    putScale: (target, scale, signal) => (order.push("scale"), shop.cluster.putScale(target, scale, signal)),
  };
  shop.busy(0, 1);
  shop.want(4);
  await shop.next({ cluster });
  expect(order).toEqual(["list", "cost", "cost"]);
  await shop.next({ cluster });
  expect(order).toEqual(["list", "cost", "cost", "list", "scale"]);
});

test("the size stays at the busy pods and follows them down", async () => {
  const shop = day();
  shop.busy(0, 1, 2, 3, 4, 5);
  shop.want(2);
  expect(await shop.shrink()).toBe(6);
  removePods(shop, 6);
  expect(shop.condition("ScalingLimited")).toMatchObject({ status: "True", reason: "SparedBusy" });
  expect(holdsIn(shop.state()?.decision?.steps ?? [])).toEqual(["busy"]);
  expect(await shop.next()).toBe(6);
  shop.busy(0, 1, 2);
  expect(await shop.shrink()).toBe(3);
  removePods(shop, 3);
  shop.busy();
  expect(await shop.next()).toBe(2);
  expect(shop.state()?.sparedSince).toBeUndefined();
});

test("a wait is bounded from its first slot on, also over slots that write nothing", async () => {
  const shop = day({ annotations: { ...sparing, "ebb.dev/spare-busy-for": "60s" } });
  shop.busy(0, 1, 2, 3, 4, 5);
  shop.want(2);
  const sizes = [];
  for (let slot = 0; slot < 6; slot++) {
    sizes.push(await shop.next());
    removePods(shop, sizes.at(-1) ?? 0);
  }
  expect(sizes).toEqual([10, 6, 6, 6, 2, 2]);
});

test("to zero only when none is busy", async () => {
  const shop = day({ replicas: 2 });
  shop.busy(1);
  shop.want(0);
  expect(await shop.shrink()).toBe(1);
  removePods(shop, 1);
  expect(await shop.next()).toBe(1);
  shop.busy();
  expect(await shop.next()).toBe(0);
  expect(shop.condition("ScaledToZero")?.status).toBe("True");
});

test("without the annotations, nothing is asked of the cluster", async () => {
  const shop = day({ annotations: {} });
  shop.busy(0, 1, 2, 3, 4, 5);
  shop.want(2);
  expect(await shop.next()).toBe(2);
  await shop.next();
  const { listWorkers, setDeletionCost, getPod, listPods } = shop.cluster.calls;
  expect({ listWorkers, setDeletionCost, getPod, listPods }).toEqual({});
});

test("nobody else's cost is changed", async () => {
  const shop = day();
  shop.busy(0, 1, 2);
  shop.change(2, (pod) => withAnnotation(pod, cost, "7"));
  shop.change(8, (pod) => withAnnotation(pod, cost, "-3"));
  shop.want(4);
  await shop.shrink();
  expect(shop.annotated(cost)).toEqual(["orders-0 1", "orders-1 1", "orders-2 7", "orders-8 -3"]);
  removePods(shop, 4);
  await shop.next();
  await shop.next();
  expect(shop.annotated(cost)).toEqual(["orders-2 7"]);
});

test("a pod that becomes busy after it was listed is not made to go first", async () => {
  const shop = day();
  shop.busy(0, 1, 2, 3, 4, 5, 6, 7);
  const { cluster } = afterEachList(shop, (list) => {
    if (list === 1) shop.change(8, (pod) => withAnnotation(pod, mark, "a new job"));
  });
  shop.want(4);
  expect(await shop.next({ cluster })).toBe(10);
  expect(shop.annotated(cost)).toEqual(["orders-9 -1"]);
  expect(await shop.next()).toBe(9);
  expect(removePods(shop, 9)).toEqual(["orders-9"]);
});

test("a reading older than 2 s is repeated right before the write", async () => {
  const shop = day();
  shop.busy(0, 1, 2);
  const { cluster, lists } = afterEachList(shop, (list) => {
    if (list !== 2) return;
    shop.clock.now += 2_001;
    // Pods that get no cost, so that only the next list shows it.
    for (const index of [3, 4]) shop.change(index, (pod) => withAnnotation(pod, mark, "a new job"));
  });
  shop.want(3);
  expect(await shop.shrink({ cluster })).toBe(10);
  expect(lists()).toBe(3);
  expect(await shop.shrink()).toBe(5);
  expect(removePods(shop, 5)).toEqual(["orders-5", "orders-6", "orders-7", "orders-8", "orders-9"]);
});

test("a busy pod that is no longer Ready right before the write holds the size, though its cost is right", async () => {
  const shop = day();
  shop.busy(0, 1, 2);
  const notReady = (pod: Pod): Pod => ({ ...pod, status: { phase: "Running", conditions: [] } });
  const { cluster, lists } = afterEachList(shop, (list) => {
    if (list !== 2) return;
    shop.clock.now += 2_001;
    shop.change(0, notReady);
  });
  shop.want(3);
  expect(await shop.shrink({ cluster })).toBe(10);
  expect(lists()).toBe(3);
});

test("where each list takes longer than a reading is fresh, the size falls nevertheless", async () => {
  const shop = day();
  shop.busy(0, 1, 2);
  const cluster: Cluster = {
    ...shop.cluster,
    listWorkers(query, signal) {
      shop.clock.now += 2_500;
      return shop.cluster.listWorkers(query, signal);
    },
  };
  shop.want(3);
  expect(await shop.shrink({ cluster })).toBe(3);
  expect(removePods(shop, 3)).toHaveLength(7);
  expect(shop.annotated(mark)).toHaveLength(3);
});

test("a fresh reading is not repeated", async () => {
  const shop = day();
  shop.busy(0);
  shop.want(3);
  await shop.shrink();
  expect(shop.cluster.calls["listWorkers"]).toBe(2);
});

test("a run that dies between the costs and the write leaves costs that a later sync takes away", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(4);
  await shop.next();
  const dies = new Promise<never>(() => undefined);
  const reached = new Promise<void>((resolve) => {
    const cluster: Cluster = { ...shop.cluster, putScale: () => (resolve(), dies) };
    void shop.next({ cluster });
  });
  await reached;
  expect(shop.annotated(cost)).toEqual(["orders-0 1", "orders-1 1"]);
  expect(shop.replicasNow()).toBe(10);
  // The queue is full again.
  shop.want(10);
  shop.cluster.touch("shop/orders");
  await shop.next();
  await shop.next();
  expect(shop.annotated(cost)).toEqual([]);
  await shop.minutePasses();
  expect(shop.state()?.deletionCosts).toBeUndefined();
});

/** A slot that sets costs, after which the HPA is no longer as it was. */
async function withCosts(change: (shop: ReturnType<typeof day>) => void, then: "set" | "scaled" = "set") {
  const shop = day();
  shop.busy(0, 1);
  shop.change(5, (pod) => withAnnotation(pod, cost, "7"));
  shop.want(4);
  await shop.next();
  if (then === "scaled") await shop.next();
  expect(shop.annotated(cost)).toEqual(["orders-0 8", "orders-1 8", "orders-5 7"]);
  change(shop);
  return shop;
}

const retargeted = (shop: ReturnType<typeof day>) => {
  shop.cluster.add("shop/bills", 3, { selector: "app=bills" });
  shop.retarget("bills");
};
const deleted = ({ store }: ReturnType<typeof day>) => void store.documents.delete("prod shop/orders");
const gone = ({ annotate }: ReturnType<typeof day>) => annotate({});

test.each([
  ["the HPA is deleted", deleted],
  ["it gets another target", retargeted],
  ["it loses the annotation, and the size falls with the next slot", gone],
])("%s: its costs go, and nobody else's", async (_, change) => {
  for (const then of ["set", "scaled"] as const) {
    const shop = await withCosts(change, then);
    for (let slot = 0; slot < 9; slot++) {
      await shop.next();
      removePods(shop, Math.min(shop.cluster.pods.length, shop.replicasNow() ?? 0));
    }
    expect([...shop.annotated(cost), ...shop.annotated(ownCost)].filter((text) => !text.endsWith("7"))).toEqual([]);
    expect(shop.state()?.deletionCosts).toBeUndefined();
  }
});

test.each([
  ["the HPA is deleted", deleted],
  ["it gets another target", retargeted],
])("%s: costs that cannot be taken away are tried again", async (_, change) => {
  for (const call of ["listWorkers", "setDeletionCost"] as const) {
    const shop = await withCosts(change);
    const refused = () => Promise.reject(new Fault("unreachable", "no answer"));
    await shop.minutePasses({ cluster: { ...shop.cluster, [call]: refused } });
    expect(shop.state()?.deletionCosts).toBeDefined();
    expect(shop.annotated(ownCost)).toHaveLength(2);
    await shop.next();
    expect(shop.annotated(ownCost)).toEqual([]);
    await shop.minutePasses();
    expect(shop.annotated(ownCost)).toEqual([]);
    expect(shop.state()?.deletionCosts).toBeUndefined();
  }
});

test("a deleted HPA whose costs cannot be taken away is forgotten after ten minutes", async () => {
  const shop = await withCosts(deleted);
  const refused = () => Promise.reject(new Fault("forbidden", "pods is forbidden"));
  const cluster = { ...shop.cluster, listWorkers: refused };
  for (let slot = 0; slot < 40; slot++) await shop.next({ cluster });
  expect(shop.state()).toBeDefined();
  await shop.next({ cluster });
  expect(shop.state()).toBeUndefined();
});

test.each([
  ["the queue is full again", ({ want }: ReturnType<typeof day>) => want(10)],
  ["the HPA is deleted", deleted],
  ["it gets another target", retargeted],
  ["it loses the annotation, and the size falls with the next slot", gone],
])("%s: a cost whose patch got no answer goes as well, however late in its minute it lands", async (_, change) => {
  for (const lands of [2, 3, 4, 5]) {
    const shop = day();
    shop.busy(0, 1);
    shop.want(4);
    const sent: (() => Promise<void>)[] = [];
    const cluster: Cluster = {
      ...shop.cluster,
      setDeletionCost(given, signal) {
        if (given.pod.name !== "orders-1") return shop.cluster.setDeletionCost(given, signal);
        sent.push(() => shop.cluster.setDeletionCost({ ...given, mayStart: () => true }, signal));
        return Promise.reject(new Fault("lost", "no answer"));
      },
    };
    await shop.next({ cluster });
    change(shop);
    for (let slot = 2; slot <= 14; slot++) {
      if (slot === lands) await sent[0]?.().catch(() => undefined);
      await shop.next();
      removePods(shop, Math.min(shop.cluster.pods.length, shop.replicasNow() ?? 0));
    }
    expect(sent).toHaveLength(1);
    expect([...shop.annotated(cost), ...shop.annotated(ownCost)]).toEqual([]);
    expect(shop.state()?.deletionCosts).toBeUndefined();
  }
});

test("a patch that a stopped process would send after its costs were taken away is not sent", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(4);
  let goOn: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (goOn = resolve));
  const late: Promise<unknown>[] = [];
  const cluster: Cluster = {
    ...shop.cluster,
    setDeletionCost(given, signal) {
      if (given.pod.name !== "orders-1") return shop.cluster.setDeletionCost(given, signal);
      // The process is stopped while it connects.
      late.push(stopped.then(() => shop.cluster.setDeletionCost(given, signal)).catch((error: unknown) => error));
      return Promise.reject(new Fault("timeout", "no answer"));
    },
  };
  await shop.next({ cluster });
  shop.want(10);
  for (let slot = 2; slot <= 8; slot++) await shop.next();
  expect(shop.state()?.deletionCosts).toBeUndefined();
  goOn();
  expect(await Promise.all(late)).toEqual([expect.objectContaining({ message: "it is too late to send it" })]);
  expect(shop.annotated(ownCost)).toEqual([]);
});

test("a wake that finds the HPA deleted leaves its costs to a later slot", async () => {
  const shop = await withCosts(deleted);
  await shop.wake(slotAt(shop.slot()) + 1_000, { now: () => slotAt(shop.slot()) + 1_000 });
  expect(shop.state()?.deletionCosts).toBeDefined();
  await shop.minutePasses();
  expect(shop.annotated(ownCost)).toEqual([]);
  expect(shop.state()).toBeUndefined();
});

test("a target that changes twice, and wants less, waits until the costs of the first are gone", async () => {
  const shop = await withCosts(retargeted);
  shop.want(1);
  const far = { ...shop.cluster, listWorkers: () => Promise.reject(new Fault("unreachable", "no answer")) };
  await shop.next({ cluster: far });
  shop.cluster.add("shop/mails", 3, { selector: "app=mails" });
  shop.retarget("mails");
  await shop.next();
  expect(shop.cluster.scales.get("shop/mails")?.replicas).toBe(3);
  await shop.next();
  expect(shop.annotated(ownCost)).toEqual([]);
  await shop.minutePasses();
  expect(shop.cluster.scales.get("shop/mails")?.replicas).toBe(1);
});

test.each([
  ["has a target that is not there", (shop: ReturnType<typeof day>) => shop.retarget("typo")],
  ["is invalid", (shop: ReturnType<typeof day>) => shop.annotate({ ...sparing, "ebb.dev/spare-busy": "perhaps" })],
])("costs of an HPA that %s go after ten minutes, and its state forgets them later", async (_, edit) => {
  const shop = day();
  shop.busy(1, 4);
  shop.want(2);
  await shop.next();
  expect(shop.annotated(ownCost)).toHaveLength(2);
  edit(shop);
  for (let passed = 0; passed < 39; passed++) await shop.next();
  expect(shop.annotated(ownCost)).toHaveLength(2);
  const { calls } = shop.cluster;
  expect(calls["listWorkers"]).toBe(1);
  await shop.next();
  expect(shop.annotated(ownCost)).toEqual([]);
  expect(shop.replicasNow()).toBe(10);
  for (let passed = 0; passed < 50; passed++) await shop.next();
  expect(shop.state()?.deletionCosts).toBeUndefined();
  expect(calls["listWorkers"]).toBe(3);
});

test("costs of an invalid HPA that cannot be taken away are tried again ten minutes later", async () => {
  const shop = day();
  shop.busy(1, 4);
  shop.want(2);
  await shop.next();
  shop.annotate({ ...sparing, "ebb.dev/spare-busy": "perhaps" });
  for (let passed = 0; passed < 39; passed++) await shop.next();
  const refused = () => Promise.reject(new Fault("forbidden", "pods is forbidden"));
  await shop.next({ cluster: { ...shop.cluster, setDeletionCost: refused } });
  expect(shop.annotated(ownCost)).toHaveLength(2);
  for (let passed = 0; passed < 40; passed++) await shop.next();
  expect(shop.annotated(ownCost)).toEqual([]);
});

test("costs that a run left go also after the annotation has gone", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(4);
  await shop.shrink();
  removePods(shop, 4);
  shop.annotate({});
  await shop.next();
  expect(shop.annotated(cost)).toEqual([]);
});

test.each([
  ["the pods cannot be listed", "listWorkers" as const, "FailedGetBusyPods"],
  ["a cost cannot be set", "setDeletionCost" as const, "FailedSetDeletionCosts"],
])("%s: nothing shrinks, and it says so", async (_, call, reason) => {
  const shop = day();
  const refused = () => Promise.reject(new Fault("forbidden", "pods is forbidden"));
  shop.busy(0, 1);
  shop.want(4);
  expect(await shop.next({ cluster: { ...shop.cluster, [call]: refused } })).toBe(10);
  const [event] = await shop.eventsNow();
  expect(event).toContain(reason);
  expect(event).toContain("pods is forbidden");
  expect(await shop.shrink()).toBe(4);
});

test("a cost that cannot be set holds the size, and nothing after the bound", async () => {
  const shop = day({ annotations: { ...sparing, "ebb.dev/spare-busy-for": "80s" } });
  const refused = () => Promise.reject(new Fault("forbidden", "pods is forbidden"));
  const cluster = { ...shop.cluster, setDeletionCost: refused };
  shop.busy(0, 1, 2, 3, 4);
  shop.want(4);
  const sizes = [];
  for (let slot = 0; slot < 7; slot++) sizes.push(await shop.next({ cluster }));
  expect(sizes).toEqual([10, 10, 10, 10, 10, 10, 4]);
  expect((await shop.eventsNow()).join("\n")).toContain("FailedRescale");
});

test("where other pods are busy in each slot, the size waits for a minute, and costs come right before it", async () => {
  const shop = day();
  shop.want(4);
  const sizes = [];
  for (let slot = 0; slot < 5; slot++) {
    shop.busy(slot, slot + 1);
    sizes.push(await shop.next());
  }
  expect(sizes).toEqual([10, 10, 10, 10, 4]);
  expect(shop.annotated(cost)).toEqual(["orders-4 1", "orders-5 1"]);
  expect(shop.state()?.deletionCosts).toEqual({ at: slotAt(5) + 200, selector: "app=orders" });
});

test("after a minute of waiting, costs that would come more than 5 s after the state are left to the next slot", async () => {
  const shop = day();
  shop.want(4);
  for (let slot = 0; slot < 4; slot++) {
    shop.busy(slot, slot + 1);
    await shop.next();
  }
  const before = shop.annotated(cost);
  const { cluster, lists } = afterEachList(shop, (list) => {
    shop.clock.now += [0, 2_001, 5_001][list] ?? 0;
  });
  shop.busy(5, 6);
  expect(await shop.next({ cluster })).toBe(10);
  expect(lists()).toBeGreaterThan(1);
  expect(shop.annotated(cost)).toEqual(before);
  expect(await shop.next()).toBe(4);
  expect(shop.annotated(cost)).toEqual(["orders-5 1", "orders-6 1"]);
});

test("a wake between costs and size waits as well", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(4);
  await shop.next();
  await shop.wake(slotAt(shop.slot()) + 5_000, { now: () => slotAt(shop.slot()) + 5_000 });
  expect(shop.replicasNow()).toBe(10);
  await shop.wake(slotAt(shop.slot()) + 11_000, { now: () => slotAt(shop.slot()) + 11_000 });
  expect(shop.replicasNow()).toBe(4);
});

test("patches that the time of a slot leaves out are found by the next one", async () => {
  const shop = day();
  shop.busy(0, 1, 2);
  shop.want(4);
  const cluster: Cluster = {
    ...shop.cluster,
    setDeletionCost(given, signal) {
      shop.clock.now += 5_001;
      return shop.cluster.setDeletionCost({ ...given, mayStart: () => true }, signal); // it was sent before
    },
  };
  await shop.next({ cluster });
  expect(shop.annotated(cost)).toHaveLength(1);
  expect(await shop.next()).toBe(10);
  expect(shop.annotated(cost)).toHaveLength(3);
  expect(await shop.next()).toBe(4);
});

test("the size that is written is the later slot's", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(4);
  await shop.next();
  shop.want(7);
  expect(await shop.next()).toBe(7);
  expect(shop.state()?.history?.scaleDownEvents).toEqual([{ change: 3, at: slotAt(2) + 200 }]);
});

test("while a rate limit allows one step after another, the costs stay", async () => {
  const policies = [{ type: "Pods", value: 1, periodSeconds: 60 }] as const;
  const shop = day({ scaleDown: { stabilizationWindowSeconds: 0, policies } });
  shop.busy(0, 1);
  shop.want(4);
  const sizes = [];
  for (let slot = 0; slot < 9; slot++) {
    sizes.push(await shop.next());
    removePods(shop, sizes.at(-1) ?? 0);
    expect(shop.annotated(cost)).toEqual(["orders-0 1", "orders-1 1"]);
  }
  expect(sizes).toEqual([10, 9, 9, 9, 9, 8, 8, 8, 8]);
});

test("a size that busy pods hold keeps no costs, although a rate limit would allow the next step later", async () => {
  const policies = [{ type: "Pods", value: 2, periodSeconds: 15 }] as const;
  const shop = day({ scaleDown: { stabilizationWindowSeconds: 0, policies } });
  shop.busy(0, 1, 2, 3);
  shop.want(1);
  const sizes = [];
  for (let slot = 0; slot < 7; slot++) {
    sizes.push(await shop.next());
    removePods(shop, sizes.at(-1) ?? 0);
  }
  expect(sizes).toEqual([10, 8, 6, 4, 4, 4, 4]);
  expect(shop.annotated(cost)).toEqual([]);
  await shop.minutePasses();
  expect(shop.state()?.deletionCosts).toBeUndefined();
});

test("while a pod cannot be read, it may have a cost of ebb's: none is forgotten", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(2);
  expect(await shop.shrink()).toBe(2);
  removePods(shop, 2);
  const garbled: Cluster = {
    ...shop.cluster,
    async listWorkers(query, signal) {
      const { pods } = await shop.cluster.listWorkers(query, signal);
      return { pods: pods.filter(({ name }) => name !== "orders-1"), unreadable: 1 };
    },
  };
  for (let slot = 0; slot < 3; slot++) await shop.next({ cluster: garbled });
  expect(shop.state()?.deletionCosts).toBeDefined();
  expect((await shop.eventsNow()).join()).toContain("FailedClearDeletionCosts");
  await shop.next();
  expect(shop.annotated(cost)).toEqual([]);
  await shop.minutePasses();
  expect(shop.state()?.deletionCosts).toBeUndefined();
});

test("an idle pod goes before one that cannot be read", async () => {
  const shop = day();
  shop.busy(0);
  shop.want(2);
  const cluster: Cluster = {
    ...shop.cluster,
    async listWorkers(query, signal) {
      const { pods } = await shop.cluster.listWorkers(query, signal);
      return { pods: pods.filter(({ name }) => name !== "orders-1"), unreadable: 1 };
    },
  };
  expect(await shop.shrink({ cluster })).toBe(2);
  expect(removePods(shop, 2)).not.toContain("orders-1");
  expect(shop.annotated(mark)).toEqual(["orders-0 job 7"]);
});

test("while a smaller size may still land, the costs stay", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(4);
  await shop.next();
  const lost = () => Promise.reject(new Fault("lost", "no answer"));
  expect(await shop.next({ cluster: { ...shop.cluster, putScale: lost } })).toBe(10);
  shop.want(10);
  for (let slot = 0; slot < 3; slot++) expect(await shop.next()).toBe(10);
  expect(shop.state()?.intent).toMatchObject({ to: 4 });
  expect(shop.annotated(cost)).toEqual(["orders-0 1", "orders-1 1"]);
  shop.cluster.touch("shop/orders");
  await shop.next();
  expect(shop.annotated(cost)).toEqual([]);
});

test("a StatefulSet's pods get no costs, but the size waits", async () => {
  const shop = day({ kind: "StatefulSet" });
  shop.busy(0, 1, 2, 3, 4, 5);
  shop.want(4);
  await shop.next();
  expect(shop.cluster.scales.get("statefulsets.apps shop/orders")?.replicas).toBe(6);
  expect(shop.annotated(cost)).toEqual([]);
});

test("a dry run says what would wait, and sets no cost", async () => {
  const shop = day({ annotations: { ...sparing, "ebb.dev/dry-run": "true" } });
  shop.busy(0, 1, 2, 3, 4, 5);
  shop.want(2);
  expect(await shop.next()).toBe(10);
  expect(shop.state()?.decision?.steps.some(({ limitedBy }) => limitedBy === "SparedBusy")).toBe(true);
  expect(shop.annotated(cost)).toEqual([]);
});

test("a dry run leaves the costs that ebb set before it, and they go when it ends or the HPA is deleted", async () => {
  const dryRun = (shop: ReturnType<typeof day>) => shop.annotate({ ...sparing, "ebb.dev/dry-run": "true" });
  for (const end of [(shop: ReturnType<typeof day>) => shop.annotate(sparing), deleted]) {
    const shop = await withCosts(dryRun);
    shop.want(10);
    const writes = shop.cluster.calls["setDeletionCost"];
    await shop.minutePasses();
    await shop.minutePasses();
    expect(shop.annotated(ownCost)).toEqual(["orders-0 8", "orders-1 8"]);
    expect(shop.cluster.calls["setDeletionCost"]).toBe(writes);
    end(shop);
    await shop.minutePasses();
    expect([shop.annotated(cost), shop.annotated(ownCost)]).toEqual([["orders-5 7"], []]);
  }
});

test("a pod that has gone since the list is none to wait for", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(4);
  const { cluster } = afterEachList(shop, () => {
    shop.cluster.pods = shop.cluster.pods.filter(({ metadata }) => metadata.name !== "orders-1");
  });
  expect(await shop.shrink({ cluster })).toBe(4);
});

test.each([
  ["other pods are busy", [5, 6], ["orders-5 1", "orders-6 1"]],
  ["the same pods are busy, whose costs are right", [0, 1], ["orders-0 1", "orders-1 1"]],
])("costs of two runs of a moment, while %s: the wake's stay", async (_, busy, expected) => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(8);
  await shop.shrink();
  removePods(shop, 8);
  expect(shop.state()?.deletionCosts).toBeDefined();
  // The slot lists what is left; before it records, a wake sets costs for another size.
  const { cluster } = afterEachList(shop, async (list) => {
    if (list !== 1) return;
    shop.want(5);
    if (!busy.includes(0)) shop.busy(...busy);
    await shop.wake(slotAt(shop.slot()) + 1_000, { now: () => shop.clock.now });
  });
  await shop.next({ cluster });
  expect(shop.annotated(cost)).toEqual(expected);
  if (shop.replicasNow() === 8) await shop.next();
  expect(shop.replicasNow()).toBe(5);
  const gone = removePods(shop, 5);
  for (const index of busy) expect(gone).not.toContain(`orders-${index}`);
});

test("a wake while a slot takes costs away does not trust those that it still sees", async () => {
  const shop = day();
  shop.busy(0, 1);
  shop.want(8);
  await shop.shrink();
  removePods(shop, 8);
  let wake: Promise<unknown> | undefined;
  const cluster: Cluster = {
    ...shop.cluster,
    async setDeletionCost(given, signal) {
      shop.want(5);
      wake ??= shop.wake(slotAt(shop.slot()) + 1_000, { now: () => shop.clock.now });
      await wake;
      return shop.cluster.setDeletionCost(given, signal);
    },
  };
  expect(await shop.next({ cluster })).toBe(8);
  expect(wake).toBeDefined();
  expect(shop.annotated(cost)).toEqual([]);
  expect(await shop.shrink()).toBe(5);
  expect(removePods(shop, 5).filter((name) => ["orders-0", "orders-1"].includes(name))).toEqual([]);
});
