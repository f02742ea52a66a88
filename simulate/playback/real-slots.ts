import type { SlotMessage } from "../../lib/model/messages";
import type { WorldClock } from "../../test/faults/world/clock";
import type { Worker } from "../services/environments";
import { type SyncFunction, syncFunction, type Wiring } from "../functions";
import type { Instance } from "../services/instance";
import { periodMs, start } from "../load";
import { countsOf, type Trace } from "./recording";
import type { Situations } from "./situations";

/** Slots of the real sync, and how many sent exactly the requests of their recording. */
export interface Compared {
  slots: number;
  same: number;
  readonly different: string[];
}

export interface RealSlots {
  /** @returns whether the message failed. */
  run(worker: Worker, body: string, message: SlotMessage, company: Company): Promise<boolean>;
  readonly compared: Compared;
}

/** Whether the process knows the cluster, and whether the batch has no other shard that the real sync runs. */
export interface Company {
  readonly isCold: boolean;
  readonly isAlone: boolean;
}

/**
 * The slots that the real sync runs. Where nothing disturbed one, its requests are compared with those of its
 * recording, so what is played back is what the real sync does.
 */
export function openRealSlots(wiring: Wiring, clock: WorldClock, situations: Situations): RealSlots {
  const { table } = wiring;
  const functions = new Map<Worker, CountedFunction>();
  const compared: Compared = { slots: 0, same: 0, different: [] };

  function compare({ slot }: SlotMessage, trace: Trace, got: Counts, isCold: boolean): void {
    const expected: Record<string, number> = { ...countsOf(trace) };
    if (isCold) expected["kubernetes GET discovery"] = 1;
    else delete expected["kubernetes GET discovery"];
    const unsure = Object.hasOwn(expected, "kubernetes PUT scale") ? whenScaling : ofProcess;
    const [wanted, sent] = [textOf(expected, unsure), textOf(got, unsure)];
    compared.slots += 1;
    if (wanted === sent) compared.same += 1;
    else compared.different.push(`slot ${(slot - start) / periodMs}: expected ${wanted}, got ${sent}`);
  }

  return {
    compared,
    async run(worker, body, message, { isCold, isAlone }) {
      const known = functions.get(worker) ?? countedFunction(wiring, worker.instance);
      functions.set(worker, known);
      const id = `${message.cluster}#${message.from}`;
      const shard = table.item("SHARD", id);
      const isLate = clock.now >= message.until || shard === undefined || Number(shard["slot"]?.N) >= message.slot;
      const { refused: refusedBefore, metricAnswers: answersBefore } = known;
      const before = new Map(known.counts);
      const failed = (await known.sync([body])).length > 0;
      if (isLate) return failed;
      const trace = situations.traceOf(shard, message.slot);
      const after = table.item("SHARD", id);
      const isFinished = Number(after?.["slot"]?.N) === message.slot;
      if (isFinished) situations.finished(id);
      const got = difference(known.counts, before);
      const isUndisturbed = known.refused === refusedBefore && isAlone && !failed;
      const isWhole = isFinished && [shard, after].every((each) => Object.keys(each?.["behind"]?.M ?? {}).length === 0);
      const entries = situations.entriesOf(shard);
      const isRecorded = situations.nearest(entries).hpas === entries;
      if (Object.hasOwn(got, metricsOperation))
        situations.metricsRead(id, message.slot, known.metricAnswers > answersBefore);
      if (isUndisturbed && isWhole && isRecorded) compare(message, trace, got, isCold);
      return failed;
    },
  };
}

type Counts = Readonly<Record<string, number>>;

/** What depends on the process and on the moment, and not on the slot alone. */
const ofProcess = new Set([
  "dynamodb BatchGetItem", // the events of HPAs that this process does not know; what HPAs look up together
  "sqs GetQueueUrl", // the first queues that this process reads
]);
/** One that scales while no other does looks up its shard and itself alone. */
const whenScaling = new Set([...ofProcess, "dynamodb GetItem"]);

/**
 * Values that move are written a minute after the last ones: a late slot shifts that to the next one. HPAs that decide
 * at the same moment are recorded in one request.
 */
function textOf(counts: Counts, unsure: ReadonlySet<string>): string {
  return JSON.stringify(
    Object.entries(counts)
      .filter(([name]) => !/ of (values|decisions)$/.test(name) && !unsure.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function difference(counts: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): Counts {
  const more = [...counts].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count > 0));
}

interface CountedFunction {
  readonly sync: SyncFunction;
  readonly counts: ReadonlyMap<string, number>;
  /** Requests that were throttled. */
  readonly refused: number;
  /** Calls that CloudWatch answered. */
  readonly metricAnswers: number;
}

const metricsOperation = "cloudwatch GetMetricData";

/** The real sync of one environment, with what it alone asked for. */
function countedFunction(wiring: Wiring, instance: Instance): CountedFunction {
  const counts = new Map<string, number>();
  let refused = 0;
  let metricAnswers = 0;
  const request: Instance["request"] = (latency, arrive, answered) => {
    let operation = "";
    const counted = () => {
      const ask = arrive();
      operation = ask.operation;
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
      return ask;
    };
    instance.request(latency, counted, (how) => {
      if (how === "throttled") refused += 1;
      else if (operation === metricsOperation) metricAnswers += 1;
      answered(how);
    });
  };
  const own = Object.create(instance, { request: { value: request } }) as Instance;
  return {
    ...{ sync: syncFunction(wiring, own), counts },
    get refused() {
      return refused;
    },
    get metricAnswers() {
      return metricAnswers;
    },
  };
}
