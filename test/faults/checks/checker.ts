import { decodeLatest } from "../../../lib/table/items/packed-items";
import { whole } from "../../table/items/whole";
import {
  clusterPrefix,
  idlePrefix,
  historyPartition,
  indexPartition,
  latestPrefix,
} from "../../../lib/table/items/keys";
import { isFault } from "../../../lib/model/fault";
import type { QueueMessage } from "../../../lib/model/messages";
import type { FailureLine } from "../../../lib/model/report";
import type { Telemetry } from "../../../functions/reporter";
import type { ServerWitness } from "../world/api-server";
import type { ItemWrite } from "../world/memory-table";
import type { Instance, Invocation } from "../world/wire";
import type { Worker } from "../world/worker";
import type { WorkerWorld } from "../world/workers";
import { type BooksDeps, openBooks } from "./books";
import { watchWorkers } from "./busy";
import { watchCalm } from "./calm";
import { watchConfirmed } from "./confirmed";
import { watchDelays } from "./delay";
import { watchHistory } from "./history";
import { type Asked, type QueueNames, watchQueues } from "./queues";
import { watchRecords } from "./records";
import { watchScaleWrites } from "./scale-writes";
import { watchObservations } from "./last-observed";
import { watchSlots } from "./slots";
import { watchStates } from "./states";
import { watchUsers } from "./users";
import { watchPollers } from "./pollers";

export type { Violation } from "./books";

export interface CheckerDeps extends BooksDeps {
  readonly epoch: number;
  /** What an HPA's metrics really are; undefined: unknown. */
  readonly valuesOf: (key: string) => readonly (number | undefined)[];
  readonly workers: WorkerWorld;
}

export type Checker = ReturnType<typeof openChecker>;

const statePrefix = "STATE#";
const decisionPrefix = "DECISION#";

/** Of ebb's own, about the crowd. */
const crowdItem = /^(?:STATE|DECISION|EVENTS)#crowd/;

/** A poller makes a few calls a second, for two minutes and a half at most. */
const mostWatchSeconds = 300;

function clusterOf({ pk, sk }: ItemWrite): string {
  return pk === "SHARD" ? sk.slice(0, sk.indexOf("#")) : pk.slice(clusterPrefix.length);
}

/** Watches everything that happens, and says what must not have. The rules are lib/sync's promises. */
export function openChecker(deps: CheckerDeps) {
  const { clock, story, epoch, sizeOf, valuesOf, trace } = deps;
  const { setting } = story;
  const books = openBooks(deps);
  const { violations, violated, ledgerOf, shards, shardsBroken, stateOf, shownOf } = books;
  const observations = watchObservations(books);
  const workers = watchWorkers(books, deps.workers);
  const scaleWrites = watchScaleWrites(books, observations, workers);
  const { stateWritten } = watchStates(books, scaleWrites, observations, workers);
  const { shardWritten, asked, called, hasLooked } = watchSlots(books, observations, (shard, by) =>
    confirmed.finished(shard, by),
  );
  const confirmed = watchConfirmed(books, story, epoch);
  const { decisionWritten, scaledLine } = watchRecords(books);
  const ledgers = () => books.ledgers.values();
  const calm = watchCalm({
    clock,
    story,
    epoch,
    sizeOf,
    valuesOf,
    stateOf,
    shownOf,
    shards,
    violated,
    ledgers,
    workers,
  });
  const pollers = watchPollers(books, { story, epoch, valuesOf });
  const queues = watchQueues(books);
  const history = watchHistory(books);
  const delays = watchDelays({ clock, story, epoch, violated, ledgers, hasLooked });

  function witness(by: Invocation | undefined): ServerWitness {
    const writes = scaleWrites.witness(by);
    return {
      ...writes,
      putIssued: (target, scale) => (isCrowds(target) ? undefined : writes.putIssued(target, scale)),
      putArrives: (target, scale) => (isCrowds(target) ? () => undefined : writes.putArrives(target, scale)),
      ...workers.witness(by),
      scaleSeen({ namespace, name }, scale) {
        if (isCrowds({ namespace }) || by === undefined) return;
        observations.scaleSeen(by, `${namespace}/${name}`, scale.spec.replicas ?? 0);
        history.scaleSeen(by, `${namespace}/${name}`, scale.spec.replicas ?? 0);
        workers.sized(by, `${namespace}/${name}`, scale.spec.replicas ?? 0);
      },
      metricSeen(metric, answer) {
        if (isCrowds({ namespace: metric })) return;
        const numbers = (answer ?? []).map(({ value }) => Number(value));
        const value = numbers.length === 0 || numbers.some(Number.isNaN) ? undefined : numbers[0];
        const label = answer?.[0]?.metricLabels?.["certain"];
        const certain = label === undefined ? {} : { certain: Number(label) };
        if (by?.fn === "watch") pollers.read(metric, { at: clock.now, by, value, ...certain });
        else if (by !== undefined) observations.read(metric, { at: clock.now, by, value, ...certain });
      },
      scaleAsked({ namespace, name }) {
        if (by === undefined) return;
        asked(by, name);
        history.scaleAsked(by, `${namespace}/${name}`);
      },
      answered(route, seen, meant) {
        if (by !== undefined) observations.answered(by, route, seen, meant);
        if (by !== undefined && route.name === "listPods") workers.listed(by, route);
      },
    };
  }

  function tableWritten(write: ItemWrite, by: Invocation | undefined): void {
    const { pk, sk } = write;
    if (by === undefined) {
      if (sk.startsWith(statePrefix) || pk === "SHARD") confirmed.byHand(clusterOf(write));
      return; // a user
    }
    if (by.fn === "watch") return pollers.written(write);
    if (pk === "SHARD") return shardWritten(write, by);
    if (story.crowd !== undefined && crowdItem.test(sk)) return;
    if (sk.startsWith(statePrefix)) return stateWritten(sk.slice(statePrefix.length), write, by);
    if (sk.startsWith(decisionPrefix)) {
      if (write.after !== undefined) decisionWritten(sk.slice(decisionPrefix.length), write.after, by);
      return;
    }
    if (sk.startsWith(latestPrefix) && by.fn === "sync") return latestWritten(write);
    if (pk.startsWith(historyPartition) && by.fn === "sync" && story.crowd === undefined)
      return history.written(write, by);
    const isDerived = sk.startsWith(idlePrefix) || pk.startsWith(indexPartition) || pk.startsWith(historyPartition);
    if (isDerived && by.fn === "sync") return;
    if (!sk.startsWith("EVENTS#")) violated(`users': ${sk} is written by ${by.fn}`);
  }

  /** It can be read, and shows nothing beyond a state that is still to be written. */
  function latestWritten({ sk, after }: ItemWrite): void {
    if (after === undefined) return;
    const latest = whole(decodeLatest, after);
    if (latest === undefined) return violated(`latest: ${sk} cannot be read`);
    for (const [key, { version }] of Object.entries(latest)) {
      if (isCrowds({ namespace: key })) continue;
      const state = stateOf(ledgerOf(key));
      if (state !== undefined && version > state.version)
        violated(`latest: ${key} shows version ${version}, before its state ${state.version}`);
    }
  }

  function reporter(): Telemetry {
    return {
      scaled: (line) => (isCrowds(line) ? undefined : scaledLine(line)),
      failed({ reason, message, key, cluster }: FailureLine) {
        trace(`${clock.now} failed ${key ?? cluster} ${reason} ${message}`);
        if (reason === "FailedRecordDecision" && key !== undefined && !isCrowds({ namespace: key }))
          ledgerOf(key).excusedUntil = clock.now;
        const by = (clock.current as Instance | undefined)?.invocation;
        if (reason === "IncompleteWake" && by !== undefined) queues.incomplete(by);
        if (reason === "InternalError") violated(`internal: ${key ?? cluster}: ${message}`);
      },
      recovered: () => undefined,
      synced: (counts) => trace(`${clock.now} synced ${JSON.stringify(counts)}`),
      ticked: () => undefined,
      started: () => undefined,
      signatureRefused: () => undefined,
      unsent: () => undefined,
      messageFailed: (error, { body }) => failed(`message ${body}`, error),
      invocationFailed: (error) => failed("invocation", error),
      warned: (message) => {
        trace(`${clock.now} warned ${message}`);
        if (message.startsWith("SHARD") && shardsBroken.size === 0) violated(`shard: ${message}`);
      },
      flush: () => undefined,
    };
  }

  /** Nobody checks what becomes of the crowd. */
  function isCrowds({ namespace }: { readonly namespace: string }): boolean {
    return story.crowd !== undefined && namespace.startsWith("crowd");
  }

  function failed(what: string, error: unknown): void {
    trace(`${clock.now} ${what}: ${String(error)}`);
    const isStrict = setting.isStrict === true && shardsBroken.size === 0;
    if (!isFault(error) || isStrict)
      violated(`internal: ${what}: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
  }

  const users = watchUsers(books);

  return {
    ...users,
    scaledByHand(key: string, from: number, to: number) {
      workers.byHand(key);
      users.scaledByHand(key, from, to);
    },
    workersRemoved: (key: string, gone: readonly Worker[], kept: readonly Worker[]) => workers.removed(key, gone, kept),
    workersActed: (key: string) => workers.acted(key),
    costSet: (key: string) => workers.disorder(key),
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
      pollers.finish();
      if (queued > 20 * (1 + shards().length)) violated(`work: ${queued} messages are on the queue at the end`);
    },
    ended(by: Invocation) {
      observations.ended(by);
      if (by.fn === "watch") pollers.ended(by);
    },
    loaded: (key: string) => pollers.loaded(key),
    woken: (messages: readonly QueueMessage[], by: Invocation | undefined) => pollers.woken(messages, by),
    /** A wake sends these. */
    asked: (messages: readonly QueueMessage[], by: Invocation | undefined) => by && queues.sent(messages, by),
    searched: (asked: readonly Asked[], by: Invocation) => queues.searched(asked, by),
    queueSeen: (key: string, parameters: QueueNames, by: Invocation | undefined) =>
      by && queues.queueSeen(key, parameters, by),
    called(by: Invocation, name: string) {
      if (by.fn === "watch") pollers.called(by, name);
      else called(by, name);
      const turns = by.fn === "watch" ? mostWatchSeconds : 40 * Math.max(1, by.bodies.length);
      const most = 60 + turns * (1 + story.hpas.length + (story.crowd?.items.length ?? 0));
      if (by.names.length === most) violated(`work: ${by.fn} makes its ${most}th call`);
    },
    /** A budget of the story's. */
    exceeded: (what: string) => violated(what),
    strayed(name: string, process: string) {
      violated(`stray: ${process} calls ${name} after its invocation is over`);
    },
  };
}
