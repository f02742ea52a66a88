import { fakeCluster, type FakeCluster } from "../../fakes/fake-cluster";
import { openChecker, type Checker, type Violation } from "../checks/checker";
import type { Asked } from "../checks/queues";
import type { Act, Story } from "../stories/story";
import { openBackups } from "./backups";
import { openClock } from "./clock";
import { apiServerClient } from "./api-server";
import { clusterClient } from "./cluster-client";
import { type Entry, openEntries } from "./entries";
import { enter } from "./globals";
import { openInstances } from "./instances";
import { metricSources } from "./metric-sources";
import { openMetrics } from "./metrics";
import { openPods } from "./pods";
import { openStaleLoads } from "./stale-loads";
import { openTroubles } from "./troubles";
import { memoryTable } from "./memory-table";
import { openCrowd, type WorldCrowd } from "./crowd";
import { openMessageQueue } from "./message-queue";
import { openMeter, type Used } from "./meter";
import { openTracer, type Tracer } from "./tracer";
import { type Instance, type Invocation, mix, openWire } from "./wire";
import { openWorkers } from "./workers";

export const epoch = Date.parse("2026-03-01T12:00:00Z");

export interface Lived {
  readonly violations: readonly Violation[];
  readonly trace: Tracer;
  readonly syncs: number;
  /** By invocations, of a story with a crowd. */
  readonly used: readonly (Used & { readonly fn: Invocation["fn"] })[];
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

/** Runs a story. Everything in it is the code under test, except the backends, the platform and time. */
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
  const workers = openWorkers({
    ...{ clock, seed: story.seed },
    counted: (key, statusReplicas) => {
      const scale = farOf(key).scales.get(key);
      if (scale === undefined || scale.statusReplicas === statusReplicas) return;
      scale.statusReplicas = statusReplicas;
      farOf(key).touch(key);
    },
    removed: (...pods) => checker.workersRemoved(...pods),
  });
  const begun: Invocation[] = [];
  const meter = story.crowd && openMeter(clock, story.crowd.budget, () => table.packedBytes());
  const used: Lived["used"][number][] = [];
  let syncs = 0;
  const entries = new Map<string, Entry>();
  const table = memoryTable({
    now: () => clock.now,
    lagMs: setting.lagMs,
    isPacked: story.crowd !== undefined,
    onWrite: (write) => {
      if (crowd?.isPlanting()) return;
      checker.tableWritten(write, clock.current === undefined ? arriving : undefined);
      crowd?.plant(write);
    },
  });
  let crowd = undefined as WorldCrowd | undefined;
  let arriving: Invocation | undefined;

  const stale = openStaleLoads({
    clock,
    seed: story.seed,
    replicasOf: (key) => farOf(key).scales.get(key)?.replicas ?? 0,
    spikesUntil: epoch + story.calmAtMs,
  });
  const metrics = openMetrics({ entries, farOf, pods, stale });
  const checker: Checker = openChecker({
    clock,
    story,
    epoch,
    table,
    sizeOf: (key) => farOf(key).scales.get(key),
    valuesOf: metrics.valuesOf,
    workSince: (metric) => stale.workSince(metric),
    workers,
    trace: line,
  });
  const invocation = () => (clock.current as Instance | undefined)?.invocation;

  const wire = openWire({
    clock,
    story,
    epoch,
    trace: line,
    onUnconfirmed: (name, process) => checker.strayed(name, process?.name ?? "nobody"),
    onCall(by, name) {
      checker.called(by, name);
      meter?.called(by, name);
    },
    onKill: (process) => instances.died(process),
  });
  const queue = openMessageQueue(clock, setting.batchSize, (messages) => instances.sync(messages));
  const instances = openInstances({
    clock,
    story,
    table,
    queue,
    // The table's writes are the calling invocation's, although they happen at the backend.
    wire: (call) => {
      const by = invocation();
      const arrive = (attempt: number) => {
        arriving = by;
        try {
          return call.arrive(attempt);
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
      return apiServerClient({ far, pods, workers, wire, witness, now: () => clock.seen(), distort });
    },
    sources: metricSources({
      farOf,
      wire,
      witness: () => checker.witness(invocation()),
      count: (id) => metrics.count(id),
      queueSeen: (key, parameters, by) => checker.queueSeen(key, parameters, by),
      invocation,
    }),
    reporter: checker.reporter(),
    trace: line,
    onError: (what, error) => checker.failed(what, error),
    onBegin(by) {
      if (by.fn === "sync") syncs += 1;
      if (keeps.calls) begun.push(by);
    },
    onEnd(by) {
      checker.ended(by);
      if (meter === undefined) return;
      const { used: own, exceeded } = meter.ended(by);
      used.push({ fn: by.fn, ...own });
      for (const what of exceeded) checker.exceeded(what);
    },
    onWoken: (messages) => checker.woken(messages, invocation()),
    onAsked: (messages) => checker.asked(messages, invocation()),
    onSearched: (records, by) => checker.searched(records.flatMap(askedIn), by),
  });

  const users = openEntries({
    ...{ clock, setting, table, checker, entries, clusterOf },
    wake: (records) => instances.wake(records),
  });
  for (const cluster of fars.keys()) users.writeCluster(cluster);
  let nextTick: Act["do"] | undefined;

  const name = (key: string) => key.slice(key.indexOf("/") + 1);
  const troubles = openTroubles({
    ...{ clock, story, table, checker, pods, entries, clusterOf, announce: users.announce },
    write: (key) => users.write(entries.get(key)!),
    writeCluster: users.writeCluster,
  });
  const backups = openBackups({ story, table, checker, pods, farOf, clusterOf });
  for (const plan of story.hpas) {
    const far = farOf(plan.key);
    entries.set(plan.key, { ...plan, annotations: {}, isThere: plan.isLater !== true });
    far.add(plan.key, plan.replicas, { selector: `app=${name(plan.key)}` });
    const size = () => far.scales.get(plan.key)?.replicas ?? 0;
    pods.add(plan.key, plan.spec, size);
    if (plan.busy !== undefined) workers.add(plan.key, size);
    checker.targetMade(plan.key);
    for (const [index] of (plan.spec.metrics ?? []).entries()) metrics.load(plan.key, index, 0);
    if (plan.isLater !== true) users.write(entries.get(plan.key)!);
  }
  crowd = openCrowd({ crowd: story.crowd, table, far: fars.get("prod")! });
  users.open();

  function zeroOf(key: string): string | undefined {
    const target = farOf(key).scales.get(key);
    return target?.replicas === 0 ? `${target.uid}/${target.resourceVersion}` : undefined;
  }

  function act(each: Act): void {
    trace.line(`${clock.now} act ${JSON.stringify(each)}`);
    switch (each.do) {
      case "load":
        metrics.load(each.hpa, each.metric, each.depth);
        return checker.loaded(each.hpa);
      case "blind":
        return metrics.blind(each.hpa, each.metric, each.answer);
      case "again":
      case "late":
      case "redrive":
        queue.next = each;
        return;
      case "noTick":
      case "twoTicks":
      case "lateTick":
        nextTick = each.do;
        return;
      case "noWake":
      case "twoWakes":
        return users.meetNext(each.do);
      case "touch":
        return farOf(each.hpa).touch(each.hpa);
      case "scale": {
        const target = farOf(each.hpa).scales.get(each.hpa);
        if (target === undefined || target.replicas === each.replicas) return;
        const from = target.replicas;
        target.replicas = each.replicas;
        farOf(each.hpa).touch(each.hpa);
        pods.resized(each.hpa);
        workers.resized(each.hpa);
        return checker.scaledByHand(each.hpa, from, each.replicas);
      }
      case "adopt": {
        const named = zeroOf(each.hpa);
        if (named === undefined) return;
        clock.after(each.afterMs, undefined, () => {
          users.adopt(each.hpa, named);
          if (zeroOf(each.hpa) === named) checker.zeroAdopted(each.hpa);
        });
        return;
      }
      case "recreate":
        farOf(each.hpa).add(each.hpa, each.replicas, { selector: `app=${name(each.hpa)}` });
        return checker.targetMade(each.hpa);
      case "deploy":
        return instances.deploy(each.version);
      case "redriveAll":
        return queue.redrive();
      case "put":
        return crowd?.put(each.item);
      case "wake":
        return instances.wake(each.records);
      case "alarm":
        return instances.wake(Array.from({ length: each.times }, () => recordOf(each)));
      case "edit":
      case "annotate":
      case "busy":
      case "spoil":
      case "delete":
      case "create":
        return users.edit(each);
      case "work":
        workers.work(each.hpa, each.pods);
        return checker.workersActed(each.hpa);
      case "unready":
        return workers.loseReadiness(each.hpa, each.pod, clock.now + each.ms);
      case "unread":
        workers.goUnread(each.hpa, each.pod, { how: each.how, until: clock.now + each.ms });
        return checker.workersActed(each.hpa);
      case "cost":
        workers.setCost(each.hpa, each.pod, each.cost);
        return checker.costSet(each.hpa);
      case "rollOut":
        return workers.rollOut(each.hpa, each.everyMs);
      case "backUp":
      case "putBack":
        return backups.act(each);
      default:
        return troubles.act(each);
    }
  }

  for (const each of story.acts) clock.after(each.atMs, undefined, () => act(each));
  function scheduleTick(minute: number): void {
    const atMs = minute * 60_000;
    if (atMs >= story.endMs) return;
    clock.after(epoch + atMs - clock.now, undefined, () => {
      scheduleTick(minute + 1);
      const tick = nextTick;
      nextTick = undefined;
      if (tick === "noTick") return;
      const jitter = tick === "lateTick" ? 41_000 : 200 + (mix(story.seed, minute, 7) % 2_000);
      for (const delay of tick === "twoTicks" ? [jitter, jitter + 3_000] : [jitter])
        clock.after(delay, undefined, () => instances.tick(epoch + atMs));
    });
  }
  scheduleTick(0);
  if (setting.watch !== undefined)
    for (let minute = 0; minute * 60_000 < story.endMs; minute += 1) {
      // Of the schedule: at least once, and within the minute.
      const chance = mix(story.seed, minute, 19);
      const lateMs = chance % 5 === 0 ? chance % 40_000 : chance % 3_000;
      const starts = chance % 3 === 0 ? [0, chance % 20_000] : [0];
      for (const afterMs of starts)
        clock.after(minute * 60_000 + lateMs + afterMs, undefined, () => instances.watch(epoch + minute * 60_000));
    }
  clock.after(story.calmAtMs, undefined, () => queue.redrive());
  checker.begin();
  meter?.begin();
  await clock.runUntil(epoch + story.endMs);
  checker.finish(queue.size);
  return {
    violations: checker.violations,
    trace,
    syncs,
    used,
    invocations: begun.map(({ fn, startedAt, names }) => ({ fn, atMs: startedAt - epoch, names })),
  };
}

/** As a message of SNS. */
function recordOf({ queue, cluster }: Asked): object {
  return { Sns: { Message: JSON.stringify({ queue, ...(cluster !== undefined && { cluster }) }) } };
}

function askedIn(record: unknown): readonly Asked[] {
  const { Sns } = record as { readonly Sns?: { readonly Message: string } };
  return Sns === undefined ? [] : [JSON.parse(Sns.Message) as Asked];
}
