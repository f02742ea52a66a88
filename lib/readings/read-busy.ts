import { withinTime } from "../async/within-time";
import { isQuantity, parseQuantity, signOf } from "../k8s/quantity";
import type { EpochMs } from "../k8s/time";
import { shown } from "../model/check/problem";
import type { BusyRule, BusySource } from "../model/entry/busy-rule";
import { Fault, isFault } from "../model/fault";
import type { Cluster, WorkerPod } from "../model/ports/cluster";
import type { BusyPods } from "../model/situation";

export interface BusyReading {
  readonly at: EpochMs;
  readonly counts: BusyPods;
  readonly pods: readonly BusyPod[];
}

export interface BusyPod extends WorkerPod {
  /** True if unknown. */
  readonly isBusy: boolean;
}

export interface BusyQuery {
  readonly rule: BusyRule;
  readonly namespace: string;
  readonly selector: string;
  readonly workload: string;
}

interface BusyReads {
  readonly cluster: Pick<Cluster, "listWorkers" | "podsMetric" | "getPod">;
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

type StateOf = (pod: WorkerPod) => boolean | { readonly unknown: string };

export async function readBusy(reads: BusyReads, query: BusyQuery): Promise<BusyReading> {
  const at = reads.now();
  try {
    const read = (signal: AbortSignal) => readWorkers({ ...reads, signal }, query);
    return { at, ...(await withinTime(reads.limitMs, reads.signal, read, noAnswer)) };
  } catch (error) {
    if (isFault(error)) return { at, counts: { error: error.message }, pods: [] };
    throw error;
  }
}

const noAnswer = () => new Fault("timeout", "no answer in the slot's time for busy pods");

async function readWorkers(reads: BusyReads, query: BusyQuery): Promise<Omit<BusyReading, "at">> {
  const { rule, namespace, selector } = query;
  if (selector === "") return { counts: { error: "the target's scale has no selector" }, pods: [] };
  const { source } = rule;
  const { pods, unreadable } = await reads.cluster.listWorkers(
    { namespace, selector, ...(source.kind === "annotation" && { annotation: source.name }) },
    reads.signal,
  );
  const active = pods.filter(isActive);
  const stateOf = await statesOf(reads, query, active);
  const found = active.map((pod) => ({ pod, state: stateOf(pod) }));
  const busy = found.filter(({ state }) => state !== false);
  const unknown = busy.flatMap(({ pod, state }) =>
    typeof state === "object" ? [`pod ${pod.name}: ${state.unknown}`] : [],
  );
  const counts = {
    busy: busy.length - unknown.length,
    unknown: unknown.length + unreadable,
    idle: found.length - busy.length,
    notReady: busy.filter(({ pod }) => !pod.isReady).length,
    replicaSets: new Set(active.map(({ replicaSet }) => replicaSet)).size,
    ...(unknown[0] !== undefined && { problem: unknown[0] }),
  };
  const read = found.map(({ pod, state }) => ({ ...pod, isBusy: state !== false }));
  return { counts, pods: unreadable > 0 ? [...read, unreadablePod] : read };
}

/** As with another's cost: nobody can patch it, and the idle must cost less. */
const unreadablePod = { name: "", resourceVersion: "", isReady: false, isEnding: false, cost: 0, isBusy: true };

/** Upstream: IsPodActive, pkg/controller/controller_utils.go. */
function isActive({ phase, isEnding }: WorkerPod): boolean {
  return !isEnding && phase !== "Succeeded" && phase !== "Failed";
}

async function statesOf(reads: BusyReads, query: BusyQuery, pods: readonly WorkerPod[]): Promise<StateOf> {
  const { source } = query.rule;
  if (source.kind === "annotation") return ({ mark = "" }) => mark !== "";
  // A pending pod has no work yet.
  const asked = pods.filter(({ phase }) => phase !== "Pending");
  if (asked.length === 0) return () => false;
  const answers =
    source.kind === "metric"
      ? await metricStates(reads, query, source.name)
      : await answeredStates(reads, { ...query, ...source }, asked);
  return ({ name, phase }) => (phase === "Pending" ? false : (answers.get(name) ?? { unknown: "it has no value" }));
}

type States = ReadonlyMap<string, ReturnType<StateOf>>;

async function metricStates(
  { cluster, signal }: BusyReads,
  { namespace, selector }: BusyQuery,
  name: string,
): Promise<States> {
  const values = await cluster.podsMetric({ namespace, selector, metric: { name } }, signal);
  return new Map(values.map(({ describedObject, value }) => [describedObject.name, stateFrom(value)]));
}

function stateFrom(value: string | number): ReturnType<StateOf> {
  const sign = isQuantity(value) ? signOf(parseQuantity(value)) : -1;
  return sign < 0 ? { unknown: `expected a number, 0 or more, got ${shown(value)}` } : sign > 0;
}

const numberForm = /^\d{1,18}(\.\d{1,18})?$/;
const maxBytes = 16_384;
/** The slot also has to write. */
const allMs = 5_000;

async function answeredStates(
  { cluster, signal }: BusyReads,
  { namespace, workload, port, path }: BusyQuery & Extract<BusySource, { kind: "http" }>,
  pods: readonly WorkerPod[],
): Promise<States> {
  const ask = async ({ name: pod }: WorkerPod, limit: AbortSignal): Promise<ReturnType<StateOf>> => {
    try {
      const { status, body } = await cluster.getPod({ namespace, workload, pod, port, path, maxBytes }, limit);
      const text = body.toString("utf8").trim();
      if (status === 200 && numberForm.test(text)) return Number(text) > 0;
      return { unknown: `expected status 200 and a number, 0 or more, got status ${status} and ${shown(text)}` };
    } catch (error) {
      if (isFault(error)) return { unknown: error.message };
      throw error;
    }
  };
  return withinTime(
    allMs,
    signal,
    async (limit) => new Map(await Promise.all(pods.map(async (pod) => [pod.name, await ask(pod, limit)] as const))),
  );
}
