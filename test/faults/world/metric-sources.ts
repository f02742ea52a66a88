import { Fault } from "../../../lib/model/fault";
import type { MetricSources } from "../../../lib/model/ports/sources";
import { openFormulaSource } from "../../../lib/sources/formula/formula";
import { operandsOf } from "../../../lib/sources/formula/operands";
import type { FakeCluster } from "../../fakes/fake-cluster";
import { type ClusterWitness, clusterClient } from "./cluster-client";
import { keyOfMetric } from "./metric-id";
import type { Invocation, Wire } from "./wire";

type Parameters = Readonly<Record<string, unknown>>;

export interface SourceDeps {
  readonly farOf: (key: string) => FakeCluster;
  readonly wire: Wire;
  readonly witness: () => ClusterWitness;
  /** Called when a question about a metric arrives. */
  readonly count: (id: string) => void;
  /** Called when a reading of queues arrives, with the HPA and the parameters. */
  readonly queueSeen: (key: string, parameters: Parameters, by: Invocation | undefined) => void;
  readonly invocation: () => Invocation | undefined;
}

/** Some are read once a minute, as CloudWatch is, some whenever they are asked, and some are wrong for a minute. */
export function metricSources(deps: SourceDeps): MetricSources {
  return {
    periodic: sourceKeptFor(60_000, deps),
    live: sourceKeptFor(0, deps),
    stale: { ...sourceKeptFor(0, deps), settleMs: () => 60_000 },
    // Its labels name queues, and the metric that they are.
    sqs: sourceKeptFor(0, { ...deps, count: () => undefined }, deps.queueSeen),
    formula: { ...openFormulaSource(), isBuiltIn: false, operands: operandsOf },
  };
}

function sourceKeptFor(
  ms: number,
  { farOf, wire, witness, count, invocation }: SourceDeps,
  seen: SourceDeps["queueSeen"] = () => undefined,
): MetricSources[string] {
  /** Counts that are wrong are as they are when the question arrives. */
  const countedNow = (far: FakeCluster, parameters: Parameters, by: Invocation | undefined): FakeCluster => ({
    ...far,
    externalMetric(query, signal) {
      count(query.metric.name);
      seen(keyOfMetric(query.metric.name), parameters, by);
      return far.externalMetric(query, signal);
    },
  });
  return {
    isBuiltIn: true,
    keepMs: () => ms,
    open: ({ signal }) => ({
      read: async ({ parameters }) => {
        const metric = { name: String(parameters["id"]) };
        const far = countedNow(farOf(keyOfMetric(metric.name)), parameters, invocation());
        const cluster = clusterClient(far, wire, witness);
        try {
          const items = await cluster.externalMetric({ namespace: "", metric }, signal);
          const certain = items[0]?.metricLabels?.["certain"];
          return { items, ...(certain !== undefined && { certain }) };
        } catch (error) {
          if (error instanceof Fault) return { error: error.message, from: metric.name };
          throw error;
        }
      },
    }),
  };
}
