import { metricId } from "../world/metric-id";
import { costAnnotation, ownCostAnnotation } from "../../../lib/cluster/api/workers";
import type { Route } from "../world/api-server";
import type { Invocation } from "../world/wire";
import { isReadyAt, isUnread, type Worker } from "../world/worker";
import { metadataOf, type WorkerWorld } from "../world/workers";
import type { Books } from "./books";
import { type IntentRecord, isActive, type Ledger, type UsableEntry, versionsBetween } from "./ledger";
import { recommend } from "./oracle";

/** What a list of the pods showed, and the pods would have answered at the same time. */
interface WorkersSeen {
  readonly at: number;
  readonly workers: ReadonlyMap<Worker, Pick<Worker, "isBusy" | "since" | "unread">>;
  readonly replicaSets: number;
}

/** The last size that ebb wrote. */
interface Shrunk {
  readonly at: number;
  readonly seen: WorkersSeen;
  readonly source: Parameters<typeof isUnread>[1];
  readonly isOrdered: boolean;
}

/** Of a controller, beside what ebb waits for. */
const behindMs = 10_000;
const mostWaitMs = 60_000;
const racesMs = 5_000;
/** Slots of a wait that is over, whose writes fail. */
const overdueMs = 180_000;
/** Costs are sent for so long after the state. */
const sendingMs = 5_000;
/** An API server ends a request by then. */
const mostLateMs = 60_000;
/** Slots fail, and a wait goes on with the next one that finds a busy pod. */
const unnoticedMs = 60_000;

export type WorkerChecks = ReturnType<typeof watchWorkers>;

/** What `ebb.dev/busy` promises, from the pods as they were when the run that wrote a size listed them. */
export function watchWorkers({ clock, ledgers, ledgerOf, stateOf, violated }: Books, workers: WorkerWorld) {
  const seenBy = new WeakMap<Invocation, Map<string, WorkersSeen[]>>();
  const sizes = new WeakMap<Invocation, Map<string, number>>();
  /** Pods that got a cost after a list. */
  const patchedAfter = new WeakMap<WorkersSeen, Set<string>>();
  const shrunk = new Map<string, Shrunk>();
  /** Until then, a cost that was sent long ago may not have been seen, or somebody has just set another one. */
  const disorderedUntil = new Map<string, number>();
  /** Since when a smaller size waits for costs, by the state. */
  const waitsSince = new Map<string, number>();
  /** When the state lost its costs. */
  const costsUntil = new Map<string, number>();
  /** Since when some pod is busy or cannot be read, without a break that a slot must notice. */
  const someBusySince = new Map<string, number>();
  const noneBusySince = new Map<string, number>();

  /** The only entry that the run can have read. */
  function entryOf(ledger: Ledger, by: Invocation): UsableEntry | undefined {
    const versions = versionsBetween(ledger, by.startedAt, clock.now);
    const entry = versions.length === 1 ? versions[0]?.entry : undefined;
    return entry !== undefined && isActive(entry) ? entry : undefined;
  }

  function keyOf({ namespace, object }: Route): string | undefined {
    return [...ledgers.keys()].find((key) => key === `${namespace}/${object.slice(0, object.lastIndexOf("-"))}`);
  }

  /** What this run was answered asks for no smaller size. */
  function needsNoCosts(ledger: Ledger, by: Invocation): boolean {
    const entry = entryOf(ledger, by);
    const current = sizes.get(by)?.get(ledger.key);
    if (entry === undefined || current === undefined || current > entry.spec.maxReplicas) return false;
    const values = (entry.spec.metrics ?? []).map(
      (_, index) => ledger.readings.get(metricId(ledger.key, index))?.findLast((reading) => reading.by === by)?.value,
    );
    const wanted = recommend(entry.spec, current, values);
    return typeof wanted === "number" && wanted >= current;
  }

  function listed(by: Invocation, { namespace, selector }: Route): void {
    for (const key of workers.selected(namespace, selector)) {
      const ledger = ledgerOf(key);
      const active = workers.activeOf(key);
      const all = seenBy.get(by) ?? new Map<string, WorkersSeen[]>();
      seenBy.set(by, all);
      const seen: WorkersSeen = {
        at: clock.now,
        workers: new Map(active.map((worker) => [worker, { ...worker }])),
        replicaSets: new Set(active.map(({ replicaSet }) => replicaSet)).size,
      };
      all.set(key, [...(all.get(key) ?? []), seen]);
      const hadCosts = stateOf(ledger)?.deletionCosts !== undefined || (costsUntil.get(key) ?? 0) >= by.startedAt;
      if (!hadCosts && needsNoCosts(ledger, by))
        violated(`quiet: the pods of ${key} are listed, and no size would fall`);
    }
  }

  /** By its own clock, the run is too late for what its state says. */
  function patchIssued(by: Invocation | undefined, route: Route, body: string): void {
    const key = keyOf(route);
    if (key === undefined || by === undefined || metadataOf(body).annotations[costAnnotation] === null) return;
    const state = stateOf(ledgerOf(key));
    if (state === undefined) return;
    const { deletionCosts: costs } = state;
    if (costs === undefined) return violated(`claim: ${route.object} gets a cost, and no state says so`);
    checkFewest(by, key, route);
    if (clock.seen() > costs.at + sendingMs)
      violated(`claim: ${route.object} gets a cost ${clock.seen() - costs.at} ms after the state says so`);
  }

  /** Of pods without any cost, the fewer get one: the busy or the idle. */
  function checkFewest(by: Invocation, key: string, { object }: Route): void {
    const seen = seenBy.get(by)?.get(key)?.at(-1);
    if (seen === undefined || entryOf(ledgerOf(key), by)?.busy?.source !== "annotation") return;
    const pods = [...seen.workers];
    const hasCost = ({ costs }: Worker) => costs.findLast(({ at }) => at <= seen.at)?.text !== undefined;
    const isUnclear = ([worker, was]: (typeof pods)[number]) => hasCost(worker) || was.unread.until > seen.at;
    if (pods.some(isUnclear)) return;
    const busy = pods.filter(([, was]) => was.isBusy).length;
    const patched = (patchedAfter.get(seen) ?? new Set<string>()).add(object);
    patchedAfter.set(seen, patched);
    const fewest = Math.min(busy, pods.length - busy);
    if (patched.size > fewest) violated(`fewest: ${patched.size} pods of ${key} get costs, and ${fewest} would do`);
  }

  function patchArrives(by: Invocation | undefined, route: Route, body: string, sentAt: number): void {
    const { namespace, object } = route;
    const worker = workers.named(namespace, object);
    const key = keyOf(route);
    if (worker === undefined || key === undefined || by === undefined) return;
    const { resourceVersion, annotations } = metadataOf(body);
    if (clock.now - sentAt > racesMs) disorder(key);
    const cost = worker.annotations.get(costAnnotation);
    const isOthers = cost !== undefined && cost !== worker.annotations.get(ownCostAnnotation);
    const lands = resourceVersion === String(worker.version);
    if (isOthers && lands) violated(`others': the cost ${cost} of ${object} is not ebb's, and is patched`);
    const lateMs = clock.now - sentAt;
    const isClaimed = stateOf(ledgerOf(key))?.deletionCosts !== undefined || ledgerOf(key).isSpoiled;
    if (lands && annotations[costAnnotation] !== null && lateMs <= mostLateMs && !isClaimed)
      violated(`claim: ${object} gets a cost ${lateMs} ms after it was sent, and the state has forgotten it`);
    if (annotations[costAnnotation] !== null && needsNoCosts(ledgerOf(key), by))
      violated(`quiet: ${object} gets a cost, and no size would fall`);
  }

  function disorder(key: string): void {
    disorderedUntil.set(key, clock.now + 2 * behindMs);
  }

  function landed(
    ledger: Ledger,
    { by }: IntentRecord,
    { from, to, issuedAt }: { readonly from: number; readonly to: number; readonly issuedAt: number },
  ): { readonly found: readonly string[]; readonly mostBusy: number } {
    const { key } = ledger;
    shrunk.delete(key);
    const entry = entryOf(ledger, by);
    const rule = entry?.busy;
    if (rule === undefined || to >= from) return { found: [], mostBusy: 0 };
    const seen = seenBy
      .get(by)
      ?.get(key)
      ?.findLast(({ at }) => at <= issuedAt);
    if (seen === undefined) return { found: [`busy: ${from} → ${to}, and no pod was read`], mostBusy: 0 };
    const { source, spares, spareForSeconds = Infinity } = rule;
    const isOrdered =
      clock.now - (waitsSince.get(key) ?? clock.now) < mostWaitMs - racesMs &&
      clock.now >= (disorderedUntil.get(key) ?? 0) &&
      seen.replicaSets <= 1 &&
      isOrderable(seen, source);
    shrunk.set(key, { at: clock.now, seen, source, isOrdered });
    const mostBusy = [...seen.workers].filter(([worker, was]) => was.isBusy || worker.unread.until > seen.at).length;
    const isOver = clock.now - (someBusySince.get(key) ?? clock.now) >= spareForSeconds * 1_000;
    if (!spares || isOver) return { found: [], mostBusy };
    const wasPaused = by.process.frozenUntil >= seen.at;
    const certain = workers
      .activeOf(key)
      .filter((worker) => isStillBusy(worker, seen, source) || (!wasPaused && isLongBusy(worker, issuedAt)));
    const found = [
      ...(to < Math.min(from, certain.length) ? [`spare: ${from} → ${to}, and ${certain.length} pods are busy`] : []),
      ...(certain.some((worker) => !isReadyAt(worker, seen.at) && !isReadyAt(worker, clock.now))
        ? [`spare: ${from} → ${to}, and a busy pod is not Ready`]
        : []),
      ...(certain.length > 0 && seen.replicaSets > 1 ? [`spare: ${from} → ${to} in a rollout with busy pods`] : []),
    ];
    return { found, mostBusy };
  }

  /** From the list to now, it has the same job, or cannot be read. */
  function isStillBusy(worker: Worker, { at, workers: then }: WorkersSeen, source: Shrunk["source"]): boolean {
    const was = then.get(worker);
    if (was === undefined) return false;
    const hasJob = was.isBusy && worker.isBusy && worker.since === was.since;
    return hasJob || (isUnread(worker, source, clock.now) && worker.unread.from <= at);
  }

  /** A reading is at most two seconds old when a size is written. */
  function isLongBusy(worker: Worker, issuedAt: number): boolean {
    return worker.isBusy && worker.since <= issuedAt - racesMs;
  }

  /** Others' costs may be such that no cost of ebb's lets the idle go first. */
  function isOrderable({ workers: then }: WorkersSeen, source: Shrunk["source"]): boolean {
    const costs = { busy: [Infinity], idle: [-Infinity] };
    for (const [worker, was] of then) {
      const cost = worker.annotations.get(costAnnotation);
      const isBusy = was.isBusy || isUnread(worker, source, clock.now);
      if (cost !== undefined && cost !== worker.annotations.get(ownCostAnnotation))
        costs[isBusy ? "busy" : "idle"].push(Number(cost));
    }
    return Math.max(...costs.idle) < Math.min(...costs.busy);
  }

  function isSteady(worker: Worker): boolean {
    return worker.unready.every(({ until }) => until < clock.now - behindMs);
  }

  function removed(key: string, gone: readonly Worker[], kept: readonly Worker[]): void {
    const last = shrunk.get(key);
    if (last === undefined || !last.isOrdered || clock.now < (disorderedUntil.get(key) ?? 0)) return;
    const { seen, source } = last;
    const isStillIdle = (worker: Worker) => {
      const was = seen.workers.get(worker);
      return was?.isBusy === false && worker.since === was.since && worker.unread.until < seen.at - behindMs;
    };
    const idle = kept.find((worker) => isStillIdle(worker));
    const busy = gone.find((worker) => worker.isBusy && isStillBusy(worker, seen, source) && isSteady(worker));
    if (busy !== undefined && idle !== undefined)
      violated(`ranked: ${busy.name} is removed in the middle of its job, and ${idle.name} is idle (${key})`);
  }

  /** The state has no costs any more. */
  function forgotten(key: string, by: Invocation): void {
    costsUntil.set(key, clock.now);
    const seenAt = seenBy.get(by)?.get(key)?.at(-1)?.at ?? -Infinity;
    const left = workers.activeOf(key).find((worker) => hasOwnCost(worker) && (worker.costs.at(-1)?.at ?? 0) < seenAt);
    if (left !== undefined) violated(`left: the state of ${key} forgets its costs, and ${left.name} has one`);
  }

  function stateWritten(key: string, costs: { readonly since?: number } | undefined): void {
    if (costs?.since === undefined) waitsSince.delete(key);
    else if (!waitsSince.has(key)) waitsSince.set(key, clock.now);
    if (clock.now - (costs?.since ?? clock.now) > mostWaitMs + overdueMs)
      violated(`waits: a size of ${key} waits for costs for ${clock.now - (costs?.since ?? 0)} ms`);
  }

  /** After each act on its pods. */
  function acted(key: string): void {
    const isBusy = workers.activeOf(key).some((worker) => worker.isBusy || worker.unread.until > clock.now);
    const idleSince = noneBusySince.get(key);
    if (!isBusy) return void (idleSince === undefined && noneBusySince.set(key, clock.now));
    const isNoticed = idleSince !== undefined && clock.now - idleSince > unnoticedMs;
    if (isNoticed || !someBusySince.has(key)) someBusySince.set(key, clock.now);
    noneBusySince.delete(key);
  }

  function hasOwnCost({ annotations }: Worker): boolean {
    const cost = annotations.get(costAnnotation);
    return cost !== undefined && cost === annotations.get(ownCostAnnotation);
  }

  /** In the calm. */
  function left(key: string): readonly string[] {
    return workers
      .activeOf(key)
      .flatMap((worker) => (hasOwnCost(worker) ? [`${worker.name} still has a cost of ebb's`] : []));
  }

  /** Of the size that the calm expects: what a rule without a bound spares. */
  function sparedOf(key: string, { busy }: UsableEntry): number {
    if (busy?.spares !== true || busy.spareForSeconds !== undefined) return 0;
    return workers.activeOf(key).filter(({ isBusy }) => isBusy).length;
  }

  return {
    ...{ listed, landed, removed, stateWritten, forgotten, acted, disorder, left, sparedOf },
    witness: (by: Invocation | undefined) => {
      const sentAt = clock.now;
      return {
        patchIssued: (route: Route, body: string) => patchIssued(by, route, body),
        patchArrives: (route: Route, body: string) => patchArrives(by, route, body, sentAt),
      };
    },
    sized: (by: Invocation, key: string, replicas: number) => {
      const own = sizes.get(by) ?? new Map<string, number>();
      sizes.set(by, own.set(key, replicas));
    },
    byHand: (key: string) => void shrunk.delete(key),
  };
}
