import { Fault, type FaultKind } from "../../../lib/model/fault";
import type { ExternalMetricQuery, Cluster, Target } from "../../../lib/model/ports/cluster";
import type { ExternalMetricValue, Scale } from "../../../lib/k8s/objects";
import type { FakeCluster } from "../../fakes/fake-cluster";
import type { Outcome, Wire } from "./wire";

/** What the checks see of a process' calls. They are about the calling invocation. */
export interface ClusterWitness {
  /** Before the request is sent. */
  putIssued(target: Target, scale: Scale): void;
  putSent(): void;
  /** That it was done. */
  putAnswered(): void;
  /** The API server asked the run to wait. */
  putThrottled(target: Target): void;
  /** When the request arrives; `done` when it was carried out. */
  putArrives(target: Target, scale: Scale): (done: boolean) => void;
  scaleSeen(target: Target, scale: Scale): void;
  metricSeen(metric: string, answer: readonly ExternalMetricValue[] | undefined): void;
}

const limitMs = 10_000;
const quiet = new AbortController().signal;

/** One cluster as a process reaches it. */
export function clusterClient(far: FakeCluster, wire: Wire, witness: () => ClusterWitness): Cluster {
  const read = async <T>(name: string, signal: AbortSignal, arrive: () => Promise<T>): Promise<T> =>
    wire({ name: `cluster ${name}`, signal, limitMs, arrive, failure: (outcome) => faultOf(outcome, false) });
  const refuse = () => Promise.reject(new Fault("notFound", "the simulated cluster does not serve this"));

  return {
    async getScale(target, signal) {
      const seen = witness();
      const scale = await read(`getScale ${target.name}`, signal, () => far.getScale(target, quiet));
      seen.scaleSeen(target, scale);
      return scale;
    },
    async putScale(target, scale, signal) {
      const seen = witness();
      seen.putIssued(target, scale);
      const answer = await wire({
        name: `cluster putScale ${target.name} ${scale.spec.replicas ?? 0}`,
        signal,
        limitMs,
        onSent: () => seen.putSent(),
        arrive: async () => {
          const arrived = seen.putArrives(target, scale);
          try {
            const answer = await far.putScale(target, scale, quiet);
            arrived(true);
            return answer;
          } catch (error) {
            arrived(false);
            throw error;
          }
        },
        failure: (outcome) => {
          const fault = faultOf(outcome, true);
          if (fault.kind === "throttled") seen.putThrottled(target);
          return fault;
        },
      });
      seen.putAnswered();
      return answer;
    },
    async externalMetric(query, signal) {
      const seen = witness();
      const { name } = query.metric;
      try {
        const answer = await read(`externalMetric ${name}`, signal, () => reading(far, query));
        seen.metricSeen(name, answer);
        return answer;
      } catch (error) {
        seen.metricSeen(name, undefined);
        throw error;
      }
    },
    listPods: refuse,
    getObject: refuse,
    podMetrics: refuse,
    podsMetric: refuse,
    objectMetric: refuse,
    getService: refuse,
    connectService: refuse,
    recordEvent: refuse,
    listWorkers: refuse,
    setDeletionCost: refuse,
    getPod: refuse,
  };
}

/** A metric whose endpoint hangs has a Fault of kind "timeout" in the double: nothing is answered. */
async function reading(far: FakeCluster, query: ExternalMetricQuery): Promise<readonly ExternalMetricValue[]> {
  const there = far.external.get(query.metric.name);
  if (there instanceof Fault && there.kind === "timeout") return new Promise(() => undefined);
  return far.externalMetric(query, quiet);
}

const refusals: readonly { readonly kind: FaultKind; readonly status: number }[] = [
  { kind: "throttled", status: 429 },
  { kind: "unreachable", status: 503 },
  { kind: "badAnswer", status: 500 },
  { kind: "forbidden", status: 403 },
];
/** What is answered after a write that was done. */
const failures: readonly { readonly kind: FaultKind; readonly status: number }[] = [
  { kind: "lost", status: 504 },
  { kind: "badAnswer", status: 500 },
];

function faultOf(outcome: Outcome, isWrite: boolean): Fault {
  switch (outcome.kind) {
    case "aborted":
      return new Fault(isWrite && outcome.isSent ? "lost" : "timeout", "given up");
    case "noAnswer":
      return new Fault(isWrite ? "lost" : "timeout", "no answer");
    case "refused": {
      const { kind, status } = refusals[outcome.variant % refusals.length]!;
      return new Fault(kind, `answered with ${status}`, { status });
    }
    case "failedAfter": {
      const { kind, status } = failures[outcome.variant % failures.length]!;
      return new Fault(isWrite ? kind : "badAnswer", `answered with ${status}`, { status });
    }
  }
}
