import { Fault } from "../../../lib/model/fault";
import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import type { MetricSources } from "../../../lib/model/ports";
import { toItem } from "../../../lib/table/items/attributes";
import { clusterKey, hpaItemKey, stateKey } from "../../../lib/table/items/keys";
import type { HpaKey } from "../../../lib/model/hpa-key";
import { fakeCluster, type FakeCluster } from "../../fakes/fake-cluster";
import { openChecker, type Checker, type Violation } from "../checks/checker";
import type { Act, HpaPlan, Story } from "../stories/story";
import { openClock } from "./clock";
import { apiServerClient } from "./api-server";
import { clusterClient } from "./cluster-client";
import { enter } from "./globals";
import { openInstances } from "./instances";
import { metricId } from "./metric-id";
import { openPods, podTargetMilli } from "./pods";
import { openTroubles } from "./troubles";
import { type Item, memoryTable } from "./memory-table";
import { openMessageQueue } from "./message-queue";
import { openTracer, type Tracer } from "./tracer";
import { type Instance, type Invocation, mix, openWire } from "./wire";

export const epoch = Date.parse("2026-03-01T12:00:00Z");

export interface Lived {
  readonly violations: readonly Violation[];
  readonly trace: Tracer;
  readonly syncs: number;
  /** Where incidents can happen: when each invocation began, and its calls. Empty unless they are kept. */
  readonly invocations: readonly {
    readonly fn: Invocation["fn"];
    readonly atMs: number;
    readonly names: readonly string[];
  }[];
}

interface Keeps {
  readonly trace?: Parameters<typeof openTracer>[0];
  readonly calls?: boolean;
}

/** Runs a story. Everything in it is the code under test, except the far ends, the platform and time. */
export async function live(story: Story, keeps: Keeps = {}): Promise<Lived> {
  const trace = openTracer(keeps.trace ?? "nothing");
  const line = (text: string) => trace.line(text);
  const clock = openClock(epoch);
  enter(clock);
  const { setting } = story;
  const clusters = new Map(story.hpas.map(({ key, cluster = "prod" }) => [key, cluster]));
  const fars = new Map([...new Set(["prod", ...clusters.values()])].map((cluster) => [cluster, fakeCluster()]));
  const farOf = (key: string): FakeCluster => fars.get(clusterOf(key))!;
  const clusterOf = (key: string): string => clusters.get(key) ?? "prod";
  const pods = openPods(clock);
  const begun: Invocation[] = [];
  let syncs = 0;
  const entries = new Map<string, Entry>();
  const table = memoryTable({
    now: () => clock.now,
    lagMs: setting.lagMs,
    onWrite: (write) => checker.tableWritten(write, clock.current === undefined ? arriving : undefined),
  });
  let arriving: Invocation | undefined;

  const valuesOf = (key: string) =>
    (entries.get(key)?.spec.metrics ?? []).map((metric, index) => {
      if (metric.type !== "External") {
        const milli = pods.loadOf(key, podMetricOf(metric));
        return milli === undefined || farOf(key).scales.get(key)?.replicas === 0 ? undefined : milli / depthMilli;
      }
      const there = farOf(key).external.get(metricId(key, index));
      const value = Array.isArray(there) && there[0] !== undefined ? Number(there[0].value) : undefined;
      return Number.isNaN(value) ? undefined : value;
    });

  const checker: Checker = openChecker({
    clock,
    story,
    epoch,
    table,
    sizeOf: (key) => farOf(key).scales.get(key),
    valuesOf,
    trace: line,
  });
  const invocation = () => (clock.current as Instance | undefined)?.invocation;

  const wire = openWire({
    clock,
    story,
    epoch,
    trace: line,
    onStray: (name, process) => checker.strayed(name, process?.name ?? "nobody"),
    onCall: (by, name) => checker.called(by, name),
    onKill: (process) => instances.died(process),
  });
  const queue = openMessageQueue(clock, setting.batchSize, (messages) => instances.sync(messages));
  const instances = openInstances({
    clock,
    story,
    table,
    queue,
    // The table's writes are the calling invocation's, although they happen at the far end.
    wire: (call) => {
      const by = invocation();
      const arrive = () => {
        arriving = by;
        try {
          return call.arrive();
        } finally {
          arriving = undefined;
        }
      };
      return wire({ ...call, arrive });
    },
    cluster: (name) => {
      const far = fars.get(name)!;
      const witness = () => checker.witness(invocation());
      if (setting.isServed !== true) return clusterClient(far, wire, witness);
      const distort = troubles.distorterOf(name);
      return apiServerClient({ far, pods, wire, witness, now: () => clock.seen(), distort });
    },
    sources: sources(),
    reporter: checker.reporter(),
    trace: line,
    onError: (what, error) => checker.failed(what, error),
    onBegin(by) {
      if (by.fn === "sync") syncs += 1;
      if (keeps.calls) begun.push(by);
    },
    onEnd: (by) => checker.ended(by),
  });

  function sources(): MetricSources {
    return {
      // Read once a minute, as CloudWatch is.
      periodic: {
        isBuiltIn: true,
        keepMs: () => 60_000,
        open: ({ signal }) => ({
          read: async ({ parameters }) => {
            const far = farOf(keyOfMetric(String(parameters["id"])));
            const cluster = clusterClient(far, wire, () => checker.witness(invocation()));
            const metric = { name: String(parameters["id"]) };
            try {
              return { items: await cluster.externalMetric({ namespace: "", metric }, signal) };
            } catch (error) {
              if (error instanceof Fault) return { error: error.message, from: metric.name };
              throw error;
            }
          },
        }),
      },
    };
  }

  const options = {
    syncPeriodSeconds: setting.periodSeconds,
    downscaleStabilizationSeconds: setting.downscaleStabilizationSeconds,
  };
  function writeCluster(cluster: string): void {
    const auth = { type: "token", secret: `ebb/${cluster}` };
    const spec = { endpoint: `https://${cluster}.example`, auth, options };
    table.execute({ action: "PutItem", input: { TableName: "ebb", Item: toItem({ ...clusterKey(cluster), spec }) } });
  }
  for (const cluster of fars.keys()) writeCluster(cluster);

  function write(plan: Entry, more: object = {}): void {
    const document = { metadata: { annotations: plan.annotations }, spec: plan.spec, ...more };
    const Item = toItem({ ...hpaItemKey(clusterOf(plan.key), plan.key as HpaKey), ...document });
    const { pk, sk } = hpaItemKey(clusterOf(plan.key), plan.key as HpaKey);
    const before = table.item(pk, sk);
    table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
    checker.entryWritten(plan.key, Object.keys(more).length > 0 ? undefined : plan);
    announce({ Keys: { pk: { S: pk }, sk: { S: sk } }, OldImage: before, NewImage: Item });
  }

  const nextEvents: { wake: Act["do"] | undefined; tick: Act["do"] | undefined } = { wake: undefined, tick: undefined };
  let isReady = false;

  function announce(dynamodb: object): void {
    const { wake } = nextEvents;
    if (!isReady) return;
    nextEvents.wake = undefined;
    if (wake === "noWake") return;
    for (const delay of wake === "twoWakes" ? [300, 900] : [300])
      clock.after(delay, undefined, () => instances.wake([{ dynamodb }]));
  }

  const name = (key: string) => key.slice(key.indexOf("/") + 1);
  const troubles = openTroubles({
    ...{ clock, story, table, checker, pods, entries, clusterOf, announce },
    write: (key) => write(entries.get(key)!),
    writeCluster,
  });
  for (const plan of story.hpas) {
    const far = farOf(plan.key);
    entries.set(plan.key, { ...plan, annotations: {}, isThere: plan.isLater !== true });
    far.add(plan.key, plan.replicas, { selector: `app=${name(plan.key)}` });
    pods.add(plan.key, plan.spec, () => far.scales.get(plan.key)?.replicas ?? 0);
    checker.targetMade(plan.key);
    for (const [index] of (plan.spec.metrics ?? []).entries()) loadMetric(plan.key, index, 0);
    if (plan.isLater !== true) write(entries.get(plan.key)!);
  }
  isReady = true;

  function loadMetric(key: string, index: number, depth: number): void {
    const metric = entries.get(key)?.spec.metrics?.[index];
    if (metric !== undefined && metric.type !== "External") pods.load(key, podMetricOf(metric), depth * depthMilli);
    else load(farOf(key), metricId(key, index), depth);
  }

  function act(each: Act): void {
    trace.line(`${clock.now} act ${JSON.stringify(each)}`);
    switch (each.do) {
      case "load":
        return loadMetric(each.hpa, each.metric, each.depth);
      case "blind":
        return blind(farOf(each.hpa), metricId(each.hpa, each.metric), each.answer);
      case "again":
      case "late":
      case "redrive":
        queue.next = each;
        return;
      case "noTick":
      case "twoTicks":
      case "lateTick":
        nextEvents.tick = each.do;
        return;
      case "noWake":
      case "twoWakes":
        nextEvents.wake = each.do;
        return;
      case "touch":
        return farOf(each.hpa).touch(each.hpa);
      case "scale": {
        const target = farOf(each.hpa).scales.get(each.hpa);
        if (target === undefined || target.replicas === each.replicas) return;
        const from = target.replicas;
        target.replicas = each.replicas;
        farOf(each.hpa).touch(each.hpa);
        pods.resized(each.hpa);
        return checker.scaledByHand(each.hpa, from, each.replicas);
      }
      case "recreate":
        farOf(each.hpa).add(each.hpa, each.replicas, { selector: `app=${name(each.hpa)}` });
        return checker.targetMade(each.hpa);
      case "deploy":
        return instances.deploy(each.version);
      case "redriveAll":
        return queue.redrive();
      case "edit":
      case "annotate":
      case "spoil":
      case "delete":
      case "create":
        return edit(each);
      default:
        return troubles.act(each);
    }
  }

  function edit(each: Extract<Act, { do: "edit" | "annotate" | "spoil" | "delete" | "create" }>): void {
    const entry = entries.get(each.hpa);
    if (entry === undefined) return;
    const { pk, sk } = hpaItemKey(clusterOf(each.hpa), each.hpa as HpaKey);
    switch (each.do) {
      case "edit":
        entry.spec = { ...entry.spec, ...each.spec };
        if (entry.isThere) write(entry);
        return;
      case "annotate":
        entry.annotations = each.annotations;
        if (entry.isThere) write(entry);
        return;
      case "create":
        entry.isThere = true;
        return write(entry);
      case "delete": {
        if (!entry.isThere) return;
        entry.isThere = false;
        const before = table.item(pk, sk);
        table.execute({ action: "DeleteItem", input: { TableName: "ebb", Key: toItem({ pk, sk }) } });
        checker.entryWritten(each.hpa, undefined);
        return announce({ Keys: { pk: { S: pk }, sk: { S: sk } }, OldImage: before });
      }
      case "spoil":
        return spoil(each.how, entry);
    }
  }

  function spoil(how: Extract<Act, { do: "spoil" }>["how"], entry: Entry): void {
    if (how === "badState" || how === "oddState") {
      const keys = stateKey(clusterOf(entry.key), entry.key as HpaKey);
      const item = table.item(keys.pk, keys.sk) ?? toItem({ ...keys, version: 7 });
      const odd: Item = how === "badState" ? { history: { S: "half-written" } } : { toString: { S: "odd" } };
      checker.spoiled(entry.key);
      table.execute({ action: "PutItem", input: { TableName: "ebb", Item: { ...item, ...odd } } });
      return;
    }
    if (!entry.isThere) return;
    checker.spoiled(entry.key);
    if (how === "nullMetric") write(entry, { spec: { ...entry.spec, metrics: [null] } });
    else if (how === "nullMetadata") write(entry, { metadata: null });
    else write(entry, { spec: { ...entry.spec, minReplicas: 9, maxReplicas: 2 } });
  }

  for (const each of story.acts) clock.after(each.atMs, undefined, () => act(each));
  function scheduleTick(minute: number): void {
    const atMs = minute * 60_000;
    if (atMs >= story.endMs) return;
    clock.after(epoch + atMs - clock.now, undefined, () => {
      scheduleTick(minute + 1);
      const { tick } = nextEvents;
      nextEvents.tick = undefined;
      if (tick === "noTick") return;
      const jitter = tick === "lateTick" ? 41_000 : 200 + (mix(story.seed, minute, 7) % 2_000);
      for (const delay of tick === "twoTicks" ? [jitter, jitter + 3_000] : [jitter])
        clock.after(delay, undefined, () => instances.tick(epoch + atMs));
    });
  }
  scheduleTick(0);
  clock.after(story.calmAtMs, undefined, () => queue.redrive());
  checker.begin();
  await clock.runUntil(epoch + story.endMs);
  checker.finish(queue.size);
  return {
    violations: checker.violations,
    trace,
    syncs,
    invocations: begun.map(({ fn, startedAt, names }) => ({ fn, atMs: startedAt - epoch, names })),
  };
}

export interface Entry extends Omit<HpaPlan, "spec"> {
  spec: HpaSpec;
  annotations: Readonly<Record<string, string>>;
  isThere: boolean;
}

/** A load is counted in fifths of a target. */
const depthMilli = podTargetMilli / 5;

function podMetricOf({ type, pods }: MetricSpec): string {
  return type === "Pods" ? (pods?.metric.name ?? "") : "cpu";
}

function keyOfMetric(id: string): string {
  return id.slice(0, id.lastIndexOf(".")).replace(".", "/");
}

function load(far: FakeCluster, metric: string, depth: number): void {
  far.external.set(metric, [
    { metricName: metric, metricLabels: {}, timestamp: "2026-03-01T12:00:00Z", value: String(depth) },
  ]);
}

function blind(far: FakeCluster, metric: string, answer: Extract<Act, { do: "blind" }>["answer"]): void {
  const value = { metricName: metric, metricLabels: {}, timestamp: "2026-03-01T12:00:00Z" };
  if (answer === "error") far.external.set(metric, new Fault("badAnswer", "expected JSON, got <html>"));
  else if (answer === "hang") far.external.set(metric, new Fault("timeout", "never answers"));
  else if (answer === "empty") far.external.set(metric, []);
  else far.external.set(metric, [{ ...value, value: "not a number" }]);
}
