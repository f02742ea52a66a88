import { isMap } from "../../../lib/k8s/map";
import { matches, parseSelector } from "../../../lib/k8s/selector";
import { costAnnotation, ownCostAnnotation } from "../../../lib/cluster/api/workers";
import type { Unread } from "../stories/story";
import type { WorldClock } from "./clock";
import { busyMark } from "./entries";
import { mix } from "./wire";
import { deletionOrder, isActiveWorker, isReadyAt, isUnread, phaseOf, runsAfterMs, type Worker } from "./worker";

interface Workload {
  readonly key: string;
  readonly app: string;
  readonly replicas: () => number;
  readonly workers: Worker[];
  made: number;
  revision: number;
}

export interface WorkersDeps {
  readonly clock: WorldClock;
  readonly seed: number;
  /** How many pods the target's status counts. */
  readonly counted: (key: string, replicas: number) => void;
  /** Because of the target's size. */
  readonly removed: (key: string, gone: readonly Worker[], kept: readonly Worker[]) => void;
}

const readyAfterMs = 4_000;

/** How far a controller may be behind its watch of pods: docs/decisions/0102. */
const mostBehindMs = 5_000;

export type WorkerWorld = ReturnType<typeof openWorkers>;

/** Targets whose pods have jobs, and the controllers of their ReplicaSets, which are late and see pods as they were. */
export function openWorkers({ clock, seed, counted, removed }: WorkersDeps) {
  const workloads: Workload[] = [];
  let version = 1_000;
  let acted = 0;
  const find = (key: string) => workloads.find((each) => each.key === key);
  const activeOf = ({ workers }: Workload) => workers.filter(isActiveWorker);
  const chance = () => mix(seed, (acted += 1), 31);

  function make(workload: Workload): void {
    const { app, workers, revision } = workload;
    const now = clock.now;
    workload.made += 1;
    const worker: Worker = {
      ...{ name: `${app}-${workload.made}`, replicaSet: `${app}-v${revision}`, madeAt: now, isBusy: false, since: now },
      unready: [{ from: now, until: now + readyAfterMs }],
      unread: { how: "item", from: 0, until: 0 },
      ...{ costs: [], annotations: new Map(), version: (version += 1) },
    };
    workers.push(worker);
    for (const afterMs of [runsAfterMs, readyAfterMs]) clock.after(afterMs, undefined, () => changed(worker));
  }

  function changed(worker: Worker): void {
    worker.version = version += 1;
  }

  function end(workload: Workload, worker: Worker): void {
    const graceMs = (chance() % 3) * 2_000;
    worker.endsAt = clock.now + graceMs;
    changed(worker);
    clock.after(graceMs, undefined, () => workload.workers.splice(workload.workers.indexOf(worker), 1));
  }

  /** The first `count` of a ReplicaSet, as its controller ranks them. */
  function first(workers: readonly Worker[], count: number): readonly Worker[] {
    const seenAt = clock.now - (chance() % mostBehindMs);
    return [...workers].sort(deletionOrder(seenAt)).slice(0, count);
  }

  function reconcile(workload: Workload): void {
    const active = activeOf(workload);
    const wanted = workload.replicas();
    for (let count = active.length; count < wanted; count += 1) make(workload);
    const gone = surplus(active, active.length - wanted);
    for (const worker of gone) end(workload, worker);
    if (active.length - gone.length > wanted) clock.after(1_000, undefined, () => reconcile(workload));
    if (gone.length > 0)
      removed(
        workload.key,
        gone,
        active.filter((worker) => !gone.includes(worker)),
      );
    count(workload);
  }

  /** A Deployment's controller scales each of several ReplicaSets in proportion. */
  function surplus(active: readonly Worker[], count: number): readonly Worker[] {
    if (count <= 0) return [];
    const sets = [...new Set(active.map(({ replicaSet }) => replicaSet))];
    let left = count;
    return sets.flatMap((name, index) => {
      const own = active.filter(({ replicaSet }) => replicaSet === name);
      const share = index === sets.length - 1 ? left : Math.min(left, Math.round((count * own.length) / active.length));
      left -= share;
      return first(own, share);
    });
  }

  function count(workload: Workload): void {
    clock.after(chance() % 1_000, undefined, () => counted(workload.key, activeOf(workload).length));
  }

  function resized(key: string): void {
    const workload = find(key);
    const lateMs = chance() % 8 === 0 ? 20_000 : chance() % 3_000;
    if (workload !== undefined) clock.after(lateMs, undefined, () => reconcile(workload));
  }

  function rollOn(workload: Workload, everyMs: number): void {
    const old = activeOf(workload).filter(({ replicaSet }) => replicaSet !== `${workload.app}-v${workload.revision}`);
    const [worker] = first(old, 1);
    if (worker === undefined) return;
    end(workload, worker);
    make(workload);
    count(workload);
    clock.after(everyMs, undefined, () => rollOn(workload, everyMs));
  }

  function at(key: string, position: number): Worker | undefined {
    return activeOfKey(key)[position];
  }

  function activeOfKey(key: string): readonly Worker[] {
    const workload = find(key);
    return workload === undefined ? [] : activeOf(workload);
  }

  function annotate(worker: Worker, name: string, text: string | undefined): void {
    if (text === undefined) worker.annotations.delete(name);
    else worker.annotations.set(name, text);
    if (name === costAnnotation) worker.costs.push({ at: clock.now, text });
    changed(worker);
  }

  function selected(namespace: string, selector: string): readonly Workload[] {
    if (workloads.length === 0) return [];
    const parsed = parseSelector(selector);
    return workloads.filter(({ key, app }) => key.startsWith(`${namespace}/`) && matches(parsed, { app }));
  }

  function named(namespace: string, name: string): Worker | undefined {
    const all = workloads.filter(({ key }) => key.startsWith(`${namespace}/`)).flatMap(({ workers }) => workers);
    return all.find((worker) => worker.name === name);
  }

  function documentOf({ app }: Workload, namespace: string, worker: Worker): object {
    const { name, replicaSet, annotations, endsAt, version: resourceVersion } = worker;
    const isGarbled = isUnread(worker, "annotation", clock.now);
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: replicaSet, controller: true };
    return {
      metadata: {
        ...{ name, namespace, labels: { app }, ownerReferences: [owner] },
        ...{ annotations: Object.fromEntries(annotations), resourceVersion: isGarbled ? 7 : String(resourceVersion) },
        ...(endsAt !== undefined && { deletionTimestamp: new Date(endsAt).toISOString() }),
      },
      status: {
        phase: phaseOf(worker, clock.now),
        conditions: [{ type: "Ready", status: isReadyAt(worker, clock.now) ? "True" : "False" }],
      },
    };
  }

  return {
    add(key: string, replicas: () => number): void {
      const workload: Workload = {
        key,
        app: key.slice(key.indexOf("/") + 1),
        replicas,
        workers: [],
        made: 0,
        revision: 1,
      };
      workloads.push(workload);
      for (let made = replicas(); made > 0; made -= 1) make(workload);
      counted(key, workload.workers.length);
    },
    resized,
    activeOf: activeOfKey,
    named,
    selected: (namespace: string, selector: string) => selected(namespace, selector).map(({ key }) => key),

    /** Of the Ready ones at these positions, a job begins or ends. */
    work(key: string, positions: readonly number[]): void {
      const ready = activeOfKey(key).filter((worker) => isReadyAt(worker, clock.now));
      for (const worker of positions.flatMap((position) => ready[position] ?? [])) {
        worker.isBusy = !worker.isBusy;
        worker.since = clock.now;
        annotate(worker, busyMark, worker.isBusy ? "job" : undefined);
      }
    },
    loseReadiness(key: string, position: number, until: number): void {
      const worker = at(key, position);
      if (worker === undefined) return;
      worker.unready.push({ from: clock.now, until });
      changed(worker);
      clock.after(until - clock.now, undefined, () => changed(worker));
    },
    goUnread(key: string, position: number, unread: { readonly how: Unread; readonly until: number }): void {
      const worker = at(key, position);
      if (worker !== undefined) worker.unread = { ...unread, from: clock.now };
    },
    setCost(key: string, position: number, cost: string | undefined): void {
      const worker = at(key, position);
      if (worker !== undefined) annotate(worker, costAnnotation, cost);
    },
    rollOut(key: string, everyMs: number): void {
      const workload = find(key);
      if (workload === undefined) return;
      workload.revision += 1;
      rollOn(workload, everyMs);
    },

    list: (namespace: string, selector: string) =>
      selected(namespace, selector).flatMap((workload) =>
        workload.workers.map((worker) => documentOf(workload, namespace, worker)),
      ),
    values: (namespace: string, selector: string, metric: string) =>
      selected(namespace, selector)
        .filter(() => metric === "busy")
        .flatMap(activeOf)
        .filter((worker) => !(isUnread(worker, "metric", clock.now) && worker.unread.how !== "nonsense"))
        .map((worker) => ({
          describedObject: { kind: "Pod", namespace, name: worker.name, apiVersion: "/v1" },
          metric: { name: metric, selector: null },
          timestamp: new Date(clock.now).toISOString(),
          value: isUnread(worker, "metric", clock.now) ? "-1" : String(Number(worker.isBusy)),
        })),
    /** undefined: it does not answer. */
    answer(namespace: string, name: string): { readonly status: number; readonly body: string } | undefined {
      const worker = named(namespace, name);
      if (worker === undefined) return { status: 404, body: `pods "${name}" not found` };
      if (!isUnread(worker, "http", clock.now)) return { status: 200, body: String(Number(worker.isBusy)) };
      if (worker.unread.how === "hang") return undefined;
      return worker.unread.how === "refuse" ? { status: 503, body: "0" } : { status: 200, body: "<html>0" };
    },
    /** A merge of annotations. */
    patch(namespace: string, name: string, body: string): { readonly status: number; readonly body: string } {
      const worker = named(namespace, name);
      const { resourceVersion, annotations } = metadataOf(body);
      if (worker === undefined) return { status: 404, body: `pods "${name}" not found` };
      if (resourceVersion !== String(worker.version)) return { status: 409, body: "the object has been modified" };
      for (const [key, text] of Object.entries(annotations)) annotate(worker, key, text ?? undefined);
      return { status: 200, body: JSON.stringify({ kind: "Pod", apiVersion: "v1", metadata: { name } }) };
    },
  };
}

export interface PatchedMetadata {
  readonly resourceVersion?: string;
  readonly annotations: Readonly<Record<string, string | null>>;
}

export function metadataOf(body: string): PatchedMetadata {
  const { metadata, ...others } = JSON.parse(body) as { readonly metadata: PatchedMetadata };
  const names = Object.keys(metadata.annotations);
  const isCost = names.every((name) => name === costAnnotation || name === ownCostAnnotation);
  if (!isMap(metadata) || !isCost || Object.keys(others).length > 0)
    throw new Error(`patches more than costs: ${body}`);
  return metadata;
}
