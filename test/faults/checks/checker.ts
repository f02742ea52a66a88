import { isFault } from "../../../lib/model/fault";
import type { HpaKey } from "../../../lib/model/hpa-key";
import type { FailureLine, ScaledLine } from "../../../lib/model/report";
import type { Intent, Shard, State } from "../../../lib/model/state";
import { fromItem } from "../../../lib/table/items/attributes";
import { stateKey } from "../../../lib/table/items/keys";
import { itemBytes } from "../../../lib/table/item-size";
import type { Telemetry } from "../../../lib/telemetry/reporter";
import type { Story } from "../stories/story";
import type { WorldClock } from "../world/clock";
import type { Reply, Route, ServerWitness } from "../world/api-server";
import type { Item, ItemWrite, MemoryTable } from "../world/memory-table";
import { remembered } from "../world/remembered";
import type { Invocation } from "../world/wire";
import { metricId } from "../world/metric-id";
import { type PlainItems, plainItems, plainSum } from "../world/plain-reading";
import { leastByMetrics } from "./least";
import { watchDelays } from "./delay";
import { uncovered, watchCalm } from "./calm";
import { isSame, judgeLanding } from "./landing";
import {
  type Announcement,
  type Ledger,
  newLedger,
  type OurLanding,
  pushCapped,
  type Reading,
  type UsableEntry,
  versionsBetween,
  isActive,
  presentSince,
} from "./ledger";
import { recommend } from "./oracle";
import { isSeenLater, judgeMove, judgeShards, type Look, overlaps } from "./shards";
import { versionBefore } from "../../../lib/model/version";

export interface Violation {
  readonly at: number;
  /** The rule's name, a colon, and what happened. */
  readonly what: string;
}

export interface FarTarget {
  readonly uid: string;
  readonly replicas: number;
  readonly resourceVersion: number;
}

export interface CheckerDeps {
  readonly clock: WorldClock;
  readonly story: Story;
  readonly epoch: number;
  readonly table: MemoryTable;
  readonly sizeOf: (key: string) => FarTarget | undefined;
  /** What an HPA's metrics really are; undefined: unknown. */
  readonly valuesOf: (key: string) => readonly (number | undefined)[];
  readonly trace: (line: string) => void;
}

export type Checker = ReturnType<typeof openChecker>;

interface ScaleSeen {
  readonly at: number;
  readonly replicas: number;
}

interface Scaling {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** A state has a history, conditions, and no more. */
const maxStateBytes = 24_000;
const dataOf = remembered(fromItem);
const getScale = "cluster getScale ";
const statePrefix = "STATE#";
const decisionPrefix = "DECISION#";

/** Watches everything that happens, and says what must not have. The rules are lib/sync's promises. */
export function openChecker({ clock, story, epoch, table, sizeOf, valuesOf, trace }: CheckerDeps) {
  const violations: Violation[] = [];
  const ledgers = new Map<string, Ledger>();
  const { setting } = story;
  const skewMs = Math.max(...setting.skewsMs) - Math.min(...setting.skewsMs) + 2 * (setting.driftMs ?? 0);
  const clusters = new Map(story.hpas.map(({ key, cluster = "prod" }) => [key, cluster]));
  /** Clusters of which a user broke a SHARD item, until the shards are whole again. */
  const shardsBroken = new Set<string>();
  /** What an invocation saw of an HPA's scale, by key. */
  const scalesSeen = new Map<Invocation, Map<string, ScaleSeen>>();
  /** Scales that were asked for in a slot, by any run: "<slot> <key>". A failure counts as looking. */
  const readFor = new Set<string>();
  /** When the last run of a slot that asked for an HPA's scale began, by its clock. */
  const lookedAt = new Map<string, Look>();
  /** When a tick sent its last write of a shard. */
  const reshardedAt = new Map<Invocation, number>();
  /** The last such write of any tick that arrived, by cluster. */
  const lastReshaped = new Map<string, { readonly by: Invocation; readonly at: number }>();
  /** Shards that a tick made after another tick had given their range away, while the write was on its way: 0004. */
  const crossed = new Set<string>();

  function violated(what: string): void {
    trace(`${clock.now} VIOLATION ${what}`);
    if (violations.length < 50) violations.push({ at: clock.now, what });
  }

  function ledgerOf(key: string): Ledger {
    const found = ledgers.get(key) ?? newLedger(key, clusters.get(key) ?? "prod");
    ledgers.set(key, found);
    return found;
  }

  const shards = (): readonly Shard[] =>
    table.items("SHARD").flatMap((item) => {
      const shard = dataOf(item) as unknown as Shard;
      return shardsBroken.size > 0 && !isReadable(shard) ? [] : [shard];
    });
  const shardOf = (key: string) =>
    shards().find(({ cluster, from, to }) => cluster === clusters.get(key) && key >= from && (to === null || key < to));

  function stateOf({ cluster, key }: Ledger): State | undefined {
    const { pk, sk } = stateKey(cluster, key as HpaKey);
    const item = table.item(pk, sk);
    return item && (dataOf(item) as unknown as State);
  }

  const calm = watchCalm({
    ...{ clock, story, epoch, sizeOf, valuesOf, stateOf, shards, violated },
    ledgers: () => ledgers.values(),
  });
  const delays = watchDelays({
    ...{ clock, story, epoch, violated },
    ledgers: () => ledgers.values(),
    hasLooked: (slot, key) => readFor.has(`${slot} ${key}`),
  });

  function ledgersOf(cluster: string): readonly Ledger[] {
    return [...ledgers.values()].filter((ledger) => ledger.cluster === cluster);
  }

  function usableNow({ versions }: Ledger): UsableEntry | undefined {
    return versions.at(-1)?.entry;
  }

  // ---- the cluster ----

  function witness(by: Invocation | undefined): ServerWitness {
    let issuedAt = clock.now;
    let announcement: Announcement | undefined;
    return {
      scaleSeen({ namespace, name }, scale) {
        if (by === undefined) return;
        const key = `${namespace}/${name}`;
        const seen = scalesSeen.get(by) ?? new Map<string, ScaleSeen>();
        scalesSeen.set(by, seen.set(key, { at: clock.now, replicas: scale.spec.replicas ?? 0 }));
      },
      metricSeen(metric, answer) {
        const numbers = (answer ?? []).map(({ value }) => Number(value));
        const value = numbers.length === 0 || numbers.some(Number.isNaN) ? undefined : numbers[0];
        if (by !== undefined) read(metric, { at: clock.now, by, value });
      },
      scaleAsked({ name }) {
        if (by !== undefined) asked(by, name);
      },
      answered(route, seen, meant) {
        if (by !== undefined) answered(by, route, seen, meant);
      },
      putIssued({ namespace, name }, scale) {
        issuedAt = clock.now;
        const key = `${namespace}/${name}`;
        const { announcements } = ledgerOf(key);
        const to = scale.spec.replicas ?? 0;
        if (throttled.has(`${by?.id} ${key}`)) violated(`throttled: ${key} → ${to} is sent again at once after a 429`);
        const { resourceVersion } = scale.metadata;
        announcement = announcements.findLast(
          (each) => each.by === by && each.to === to && each.resourceVersion === resourceVersion,
        );
        if (ledgerOf(key).isCorrupt) return;
        if (announcement === undefined) return violated(`announce: ${key} → ${to} is written but not announced`);
        if (clock.seen() >= announcement.until) violated(`outdated: ${key} → ${to} is sent after its turn is over`);
        if (announcement.shardSlot >= announcement.turn)
          violated(
            `outdated: ${key} → ${to} is sent in turn ${announcement.turn}, after slot ${announcement.shardSlot}`,
          );
      },
      putAnswered() {
        if (announcement !== undefined && clock.seen() >= announcement.until) answeredLate.add(announcement);
      },
      putThrottled({ namespace, name }) {
        if (by !== undefined) throttled.add(`${by.id} ${namespace}/${name}`);
      },
      putSent() {
        if (announcement !== undefined) underWay.set(announcement, (underWay.get(announcement) ?? 0) + 1);
      },
      putArrives({ namespace, name }, { metadata }) {
        if (announcement !== undefined) underWay.set(announcement, (underWay.get(announcement) ?? 0) - 1);
        const key = `${namespace}/${name}`;
        const before = sizeOf(key);
        const from = before?.replicas ?? 0;
        return (done) => {
          const after = sizeOf(key);
          if (metadata.uid !== undefined && done && metadata.uid !== before?.uid)
            violated(`uid: ${key} was made again since it was read`);
          if (!done || announcement === undefined || after === undefined || after.replicas === from) return;
          landed(ledgerOf(key), announcement, { from, to: after.replicas, issuedAt });
        };
      },
    };
  }

  function read(metric: string, reading: Reading): void {
    const { readings } = ledgerOf(metric.slice(0, metric.lastIndexOf(".")).replace(".", "/"));
    const list = readings.get(metric) ?? [];
    readings.set(metric, list);
    pushCapped(list, reading, 40);
  }

  /** What an answer over HTTP says, read here again. */
  function answered(by: Invocation, { name, namespace, object }: Route, seen: Reply, meant: Reply): void {
    const items = (kind: string) => ({ seen: itemsOf(seen, kind), meant: itemsOf(meant, kind) });
    if (name === "externalMetric") {
      const value = plainSum(itemsOf(seen, "ExternalMetricValueList"));
      read(object, { at: clock.now, by, value, isOdd: seen !== meant });
    }
    const kind = { listPods: "PodList", podMetrics: "PodMetricsList", podsMetric: "MetricValueList" }[String(name)];
    if (kind === undefined) return;
    const id = name === "podsMetric" ? object : name;
    for (const ledger of ledgers.values()) {
      if (!ledger.key.startsWith(`${namespace}/`)) continue;
      const list = ledger.podReadings.get(id) ?? [];
      ledger.podReadings.set(id, list);
      pushCapped(list, { by, ...items(kind) }, 20);
    }
  }

  function itemsOf({ status, body }: Reply, kind: string): PlainItems {
    return status === 200 ? plainItems(body, kind) : undefined;
  }

  function landed(
    ledger: Ledger,
    by: Announcement,
    { from, to, issuedAt }: { readonly from: number; readonly to: number; readonly issuedAt: number },
  ): void {
    const landing: OurLanding = { at: clock.now, from, to, by, reportedAt: undefined };
    trace(`${clock.now} landed ${ledger.key} ${from} ${to}`);
    const found = !isJudged(ledger, by.at)
      ? []
      : judgeLanding(ledger, landing, {
          downscaleStabilizationSeconds: setting.downscaleStabilizationSeconds,
          skewMs,
          isBlind: isBlind(ledger, by),
          least: leastByMetrics(ledger, by),
          issuedAt,
        });
    for (const what of found) violated(`${what} (${ledger.key})`);
    pushCapped(ledger.landings, landing);
    ledger.lastTurn = Math.max(ledger.lastTurn, by.turn);
    ledger.isZeroOurs = to === 0;
    if (usableNow(ledger) !== undefined) return;
    // It was sent for an entry that is gone: nobody is left to record it, or to own the zero.
    ledger.excusedUntil = clock.now + 1;
    if (to === 0) ledger.isZeroOurs = undefined;
  }

  /** What is decided from something that is not true cannot be judged. */
  function isJudged({ isCorrupt, repairedAt }: Ledger, decidedAt: number): boolean {
    return !isCorrupt && decidedAt >= repairedAt;
  }

  /** No answer that the run had, or that it may have remembered, was usable for one of the metrics. */
  function isBlind(ledger: Ledger, { by, at }: Announcement): boolean {
    const entry = versionsBetween(ledger, by.startedAt, at).findLast(({ entry }) => entry !== undefined)?.entry;
    return (entry?.spec.metrics ?? []).some((metric, index) => {
      if (metric.type !== "External") return false; // `leastByMetrics` judges these
      const list = ledger.readings.get(metricId(ledger.key, index)) ?? [];
      const isKept = metric.external?.metric.name === "periodic";
      const known = list.filter(
        (reading) => reading.by === by || (isKept && reading.at > at - 90_000 - 2 * setting.periodSeconds * 1_000),
      );
      return known.every(({ value }) => value === undefined);
    });
  }

  // ---- the table ----

  function tableWritten(write: ItemWrite, by: Invocation | undefined): void {
    if (by === undefined) return; // a user
    const { pk, sk } = write;
    if (pk === "SHARD") return shardWritten(write, by);
    if (sk.startsWith(statePrefix)) return stateWritten(sk.slice(statePrefix.length), write, by);
    if (sk.startsWith(decisionPrefix)) {
      if (write.after !== undefined) decisionWritten(sk.slice(decisionPrefix.length), write.after);
      return;
    }
    if (!sk.startsWith("EVENTS#")) violated(`users': ${sk} is written by ${by.fn}`);
  }

  function stateWritten(key: string, { before, after }: ItemWrite, by: Invocation): void {
    const ledger = ledgerOf(key);
    if (after === undefined) {
      const sinceBegin = versionsBetween(ledger, by.startedAt, clock.now);
      if (sinceBegin.length > 0 && sinceBegin.every(({ entry }) => entry !== undefined))
        violated(`forget: the state of ${key} is deleted, and its entry was there all the time`);
      const writtenAt = ledger.writers.at(-1)?.at ?? -Infinity;
      if (writtenAt >= (presentSince(ledger) ?? Infinity) && !ledger.isSpoiled)
        violated(`forget: the state of ${key} is deleted, and it was written for the entry that is there`);
      ledger.bornAt = clock.now;
      ledger.isZeroOurs = false;
      return;
    }
    const version = before === undefined ? "nothing" : Number(before["version"]?.N);
    const next = Number(after["version"]?.N);
    if (versionBefore(next) !== version && !ledger.isSpoiled)
      violated(`version: the state of ${key} goes from version ${version} to ${next}`);
    // Members that nobody knows stay, also those of a corrupt item.
    if (itemBytes(after) > maxStateBytes && !ledger.isCorrupt)
      violated(`size: the state of ${key} has ${itemBytes(after)} bytes`);
    const state = dataOf(after) as unknown as State;
    const zero = state.status.conditions?.find(({ type }) => type === "ScaledToZero")?.status ?? "";
    trace(
      `${clock.now} state ${key} v${state.version} slot ${state.slot} zero ${zero} intent ${state.intent?.to ?? ""}`,
    );
    pushCapped(ledger.writers, { at: clock.now, by });
    const wokenAt = Number(before?.["wake"]?.M?.["at"]?.N ?? 0);
    if (state.slot > Number(before?.["slot"]?.N ?? 0) && state.slot < wokenAt)
      violated(`turn: slot ${state.slot} writes over the wake of ${wokenAt} (${key})`);
    judgeIntents(ledger, before, state);
    const { intent } = state;
    const old = before?.["intent"]?.M;
    const isNew =
      intent !== undefined &&
      (old?.["at"]?.N !== String(intent.at) ||
        old["resourceVersion"]?.S !== intent.resourceVersion ||
        old["to"]?.N !== String(intent.to));
    if (isNew) announced(ledger, state, by);
    const { scaleUpEvents = [], scaleDownEvents = [] } = state.history ?? {};
    for (const landing of ledger.landings.slice(-8)) {
      if (landing.by === "hand" || landing.reportedAt !== undefined) continue;
      const written = landing.by;
      const own = ledger.announcements.findLast((each) => each.by === by && isSame(written, [each]));
      if (own === undefined || intent?.at === own.decidedAt) continue;
      const events = landing.to > landing.from ? scaleUpEvents : scaleDownEvents;
      const hasBehavior = usableNow(ledger)?.spec.behavior !== undefined;
      if (hasBehavior && !events.some(({ at, foundAt }) => at === own.decidedAt && foundAt === undefined)) continue;
      landing.reportedAt = own.decidedAt;
      if (answeredLate.has(own))
        violated(`outdated: ${key} → ${own.to} is reported by its own run, whose turn was over when it was answered`);
    }
  }

  function openIntents(ledger: Ledger): readonly Intent[] {
    const { intent, earlier = [] } = stateOf(ledger) ?? {};
    return intent === undefined ? [] : [intent, ...earlier];
  }

  /** Nothing but a new resourceVersion, another object, or the refusal of its own write removes an announcement. */
  function judgeIntents(ledger: Ledger, before: Item | undefined, after: State): void {
    if (before === undefined || ledger.isSpoiled) return;
    const old = dataOf(before) as unknown as State;
    const gone = [old.intent, ...(old.earlier ?? [])].flatMap((each) => each ?? []);
    const left = [after.intent, ...(after.earlier ?? [])].flatMap((each) => each ?? []);
    if (left.length > 12) violated(`size: ${ledger.key} has ${left.length} open intents`);
    const target = sizeOf(ledger.key);
    for (const intent of gone) {
      if (left.some((each) => each.to === intent.to && each.resourceVersion === intent.resourceVersion)) continue;
      const own = ledger.announcements.findLast(
        ({ decidedAt, to, resourceVersion }) =>
          decidedAt === intent.at && to === intent.to && resourceVersion === intent.resourceVersion,
      );
      if (own === undefined) continue;
      const mayLand = (underWay.get(own) ?? 0) > 0 && String(target?.resourceVersion) === intent.resourceVersion;
      if (mayLand) violated(`intent: ${ledger.key} → ${intent.to} is dropped, and its write can still land`);
    }
  }

  /** Scale writes that the API server refused with a 429: "<invocation> <key>". */
  const throttled = new Set<string>();

  /** Scale writes whose answer came when their turn was over. */
  const answeredLate = new Set<Announcement>();

  /** Scale writes that will arrive. */
  const underWay = new Map<Announcement, number>();

  function announced(ledger: Ledger, state: State, by: Invocation): void {
    const { intent, wake } = state;
    if (intent === undefined) return;
    const isWake = wake?.done === true;
    const turn = isWake ? wake.at : state.slot;
    const shard = shardOf(ledger.key);
    const periodMs = setting.periodSeconds * 1_000;
    const own = by.bodies.map((body) => JSON.parse(body) as { slot?: number; until?: number });
    const until = isWake
      ? (shard === undefined ? turn : Math.floor(turn / periodMs) * periodMs) + periodMs
      : (own.find(({ slot }) => slot === turn)?.until ?? turn + periodMs);
    pushCapped(ledger.announcements, {
      by,
      at: clock.now,
      turn,
      until,
      decidedAt: intent.at,
      from: intent.from,
      to: intent.to,
      resourceVersion: intent.resourceVersion,
      shardSlot: shard?.slot ?? (isWake ? -Infinity : Infinity),
    });
    saw(ledger, by, intent.at);
  }

  /** The table has what this run recommended, as seen at `at` by its clock. */
  function saw(ledger: Ledger, by: Invocation, at: number): void {
    const seen = scalesSeen.get(by)?.get(ledger.key);
    if (seen === undefined) return;
    // It read the entry before the scale.
    const versions = versionsBetween(ledger, by.startedAt, seen.at);
    const [version] = versions;
    const entry = version?.entry;
    const current = seen.replicas;
    if (versions.length !== 1 || entry === undefined || !isActive(entry)) return;
    const { min, max } = { min: entry.spec.minReplicas ?? 1, max: entry.spec.maxReplicas };
    if (current > max || current < min || (current === 0 && ledger.isZeroOurs !== true)) return;
    if (by.fn !== "sync" || by.bodies.length > 1) return; // which of its turns read the metric is not known
    const values = (entry.spec.metrics ?? []).map((_, index) => {
      const readings = ledger.readings.get(metricId(ledger.key, index)) ?? [];
      const own = readings.filter((reading) => reading.by === by);
      return own.length === 0 || own.some(({ isOdd }) => isOdd) ? ("kept" as const) : own.at(-1)?.value;
    });
    if (values.includes("kept")) return;
    const replicas = recommend(entry.spec, current, values as readonly (number | undefined)[]);
    if (typeof replicas === "number") pushCapped(ledger.sightings, { at, replicas, knownAt: clock.now }, 600);
  }

  function decisionWritten(sk: string, item: Item): void {
    const key = sk.slice(0, sk.lastIndexOf("#"));
    const { scaleTo, at, from } = dataOf(item) as { scaleTo: number | null; at: number; from: number };
    if (scaleTo === null) return;
    const ledger = ledgerOf(key);
    pushCapped(ledger.decisions, { at, from, to: scaleTo });
    if (isJudged(ledger, at) && !happened(ledger, { at, from, to: scaleTo }))
      violated(`recorded: a decision of ${key} says ${from} → ${scaleTo}, which did not happen`);
  }

  function happened(ledger: Ledger, scaling: Scaling): boolean {
    const { at, from, to } = scaling;
    const announced = ledger.announcements.filter((each) => each.decidedAt === at && each.to === to);
    return ledger.landings.some((landing) => {
      if (landing.to !== to) return false;
      // Somebody who sets exactly the announced size is taken for the announced write.
      if (landing.by === "hand") return announced.some(({ by }) => landing.at >= by.startedAt);
      return landing.from === from && isSame(landing.by, announced);
    });
  }

  function shardWritten({ sk, before, after }: ItemWrite, by: Invocation): void {
    const cluster = sk.slice(0, sk.indexOf("#"));
    const own = shards().filter((shard) => shard.cluster === cluster);
    if (shardsBroken.has(cluster)) {
      const isWhole = uncovered(own).length === 0 && judgeShards(own, undefined, undefined, skewMs).length === 0;
      const isRepaired = ledgersOf(cluster).every(({ isCorrupt }) => !isCorrupt);
      if (isWhole && isRepaired) shardsBroken.delete(cluster);
      return;
    }
    // Of what begins while a tick's write is on its way, the tick cannot know.
    const sentAt = reshardedAt.get(by) ?? clock.now;
    const last = lastReshaped.get(cluster);
    const isMade = by.fn === "tick" && before === undefined && after !== undefined;
    if (isMade && last !== undefined && last.by !== by && last.at >= sentAt) crossed.add(sk);
    if (by.fn === "tick") lastReshaped.set(cluster, { by, at: clock.now });
    const judged = own.filter(({ from }) => !crossed.has(`${cluster}#${from}`));
    for (const what of judgeShards(judged, before, after, skewMs)) violated(what);
    if (overlaps(own).length === 0) for (const { from } of own) crossed.delete(`${cluster}#${from}`);
    if (after === undefined) return;
    if (by.fn !== "sync") {
      const looks = [...lookedAt].filter(([key, { began }]) => ledgerOf(key).cluster === cluster && began <= sentAt);
      for (const what of judgeMove(looks, before, after, skewMs + by.process.lostMs)) violated(what);
      return;
    }
    const shard = dataOf(after) as unknown as Shard;
    if (Number(before?.["slot"]?.N ?? 0) >= shard.slot) return;
    for (const ledger of ledgers.values()) {
      const { key } = ledger;
      if (ledger.cluster !== cluster) continue;
      if (key < shard.from || (shard.to !== null && key >= shard.to) || Object.hasOwn(shard.behind, key)) continue;
      const entry = usableNow(ledger);
      const isOld = ledger.versions.some(({ from, to }) => from < by.startedAt && to > clock.now);
      const isSeen = readFor.has(`${shard.slot} ${key}`) || isSeenLater(shard, stateOf(ledger));
      if (entry !== undefined && isOld && isActive(entry) && !ledger.isSpoiled && !isSeen)
        violated(`finish: slot ${shard.slot} counts ${key}, which nobody has looked at`);
      saw(ledger, by, shard.heartbeat);
    }
  }

  /** Targets have the names of their HPAs, and no two HPAs have the same. */
  function asked(by: Invocation, target: string): void {
    const key = [...ledgers.keys()].find((each) => each.endsWith(`/${target}`)) ?? "";
    for (const { slot } of by.bodies.map((body) => JSON.parse(body) as { slot?: number }))
      if (slot !== undefined) {
        readFor.add(`${slot} ${key}`);
        lookedAt.set(key, { began: by.startedAt, at: Math.max(slot, by.startedAt + by.process.skewMs) });
      }
  }

  // ---- reports ----

  function scaledLine({ namespace, name, at, from, to }: ScaledLine): void {
    const key = `${namespace}/${name}`;
    pushCapped(ledgerOf(key).lines, { at, to });
    if (isJudged(ledgerOf(key), at) && !happened(ledgerOf(key), { at, from, to }))
      violated(`reported: ${key} ${from} → ${to}, which did not happen`);
  }

  function reporter(): Telemetry {
    return {
      scaled: scaledLine,
      failed({ reason, message, key, cluster }: FailureLine) {
        trace(`${clock.now} failed ${key ?? cluster} ${reason} ${message}`);
        if (reason === "FailedRecordDecision" && key !== undefined) ledgerOf(key).excusedUntil = clock.now;
        if (reason === "InternalError") violated(`internal: ${key ?? cluster}: ${message}`);
      },
      recovered: () => undefined,
      synced: (counts) => trace(`${clock.now} synced ${JSON.stringify(counts)}`),
      ticked: () => undefined,
      started: () => undefined,
      messageFailed: (error, { body }) => failed(`message ${body}`, error),
      invocationFailed: (error) => failed("invocation", error),
      warned: (message) => {
        trace(`${clock.now} warned ${message}`);
        if (message.startsWith("SHARD") && shardsBroken.size === 0) violated(`shard: ${message}`);
      },
      flush: () => undefined,
    };
  }

  function failed(what: string, error: unknown): void {
    trace(`${clock.now} ${what}: ${String(error)}`);
    const isStrict = setting.isStrict === true && shardsBroken.size === 0;
    if (!isFault(error) || isStrict)
      violated(`internal: ${what}: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
  }

  return {
    violations,
    witness,
    tableWritten,
    reporter,
    failed,
    begin: () => {
      calm.begin();
      delays.begin();
    },
    finish: (queued: number) => {
      if (queued > 20 * (1 + shards().length)) violated(`work: ${queued} messages are on the queue at the end`);
    },
    ended(by: Invocation) {
      scalesSeen.delete(by);
    },
    called(by: Invocation, name: string) {
      if (by.fn === "tick" && name.startsWith("table PutItem ")) reshardedAt.set(by, clock.now);
      if (name.startsWith(getScale)) asked(by, name.slice(getScale.length));
      const most = 60 + Math.max(1, by.bodies.length) * 40 * (1 + story.hpas.length);
      if (by.names.length === most) violated(`work: ${by.fn} makes its ${most}th call`);
    },
    strayed(name: string, process: string) {
      violated(`stray: ${process} calls ${name} after its invocation is over`);
    },
    entryWritten(key: string, entry: UsableEntry | undefined) {
      const ledger = ledgerOf(key);
      const last = ledger.versions.at(-1);
      if (last !== undefined) last.to = clock.now;
      ledger.versions.push({ from: clock.now, to: Infinity, entry: entry && { ...entry } });
      if (ledger.versions.length > 100) ledger.versions.splice(0, 50);
      // A new HPA of the same name goes on with the state, or begins without: both are right.
      if (entry === undefined) ledger.bornAt = clock.now;
      // A dry run adopts the zeros of others that it would have made.
      if (entry === undefined || entry.annotations["ebb.dev/dry-run"] === "true") ledger.isZeroOurs = undefined;
    },
    /** From now on, an item or the cluster's answers say something else of this HPA. */
    corrupted(key: string) {
      const ledger = ledgerOf(key);
      const last = ledger.versions.at(-1);
      if (last !== undefined) last.to = clock.now;
      ledger.versions.push({ from: clock.now, to: Infinity, entry: undefined });
      ledger.isSpoiled = true;
      ledger.isCorrupt = true;
      ledger.bornAt = clock.now;
      ledger.isZeroOurs = undefined;
    },
    repaired(key: string, entry: UsableEntry | undefined) {
      const ledger = ledgerOf(key);
      const last = ledger.versions.at(-1);
      if (last !== undefined) last.to = clock.now;
      ledger.versions.push({ from: clock.now, to: Infinity, entry });
      ledger.isSpoiled = false;
      ledger.isCorrupt = false;
      ledger.bornAt = clock.now;
      ledger.repairedAt = clock.now;
      // What was on its way when an item was deleted may never be recorded.
      ledger.excusedUntil = clock.now + 30_000;
      ledger.isZeroOurs = undefined;
    },
    shardBroken: (cluster: string) => void shardsBroken.add(cluster),
    out(cluster: string, until: number) {
      for (const ledger of ledgersOf(cluster)) ledger.outUntil = Math.max(ledger.outUntil, until);
    },
    spoiled(key: string) {
      const ledger = ledgerOf(key);
      ledger.isSpoiled = true;
      ledger.bornAt = clock.now;
      ledger.isZeroOurs = undefined;
    },
    targetMade(key: string) {
      const ledger = ledgerOf(key);
      // What was written to the object before may never be recorded.
      ledger.excusedUntil = clock.now;
      const last = ledger.landings.at(-1);
      if (last !== undefined) last.isReplaced = true;
      // Whether a write that is still open has landed on the object before cannot be known any more.
      if (last !== undefined && last.by !== "hand" && isSame(last.by, openIntents(ledger)))
        ledger.isZeroOurs = undefined;
    },
    scaledByHand(key: string, from: number, to: number) {
      const ledger = ledgerOf(key);
      const last = ledger.landings.at(-1);
      // Set back to where an unreported wake of ours began: that we had woken it cannot be known.
      if (to === 0 && last?.by !== "hand" && last?.from === 0 && last.reportedAt === undefined)
        ledger.isZeroOurs = undefined;
      pushCapped(ledger.landings, { at: clock.now, from, to, by: "hand", reportedAt: undefined });
      const open = ledger.announcements.findLast(() => true);
      if (to === 0 && open?.to === 0) ledger.isZeroOurs = undefined;
    },
  };
}

/** As far as the checks need it. */
function isReadable({ cluster, from, to, slot, behind }: Shard): boolean {
  const isRange = typeof cluster === "string" && typeof from === "string" && (to === null || typeof to === "string");
  return isRange && typeof slot === "number" && typeof behind === "object" && (behind as object | null) !== null;
}
