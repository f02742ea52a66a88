import { many, number } from "./line";
import type { Load, Plan } from "./plan";
import { monthSeconds, prices } from "../../../lib/model/prices";
import { monthlyReads } from "./plan";

/** KEDA 2.20 with the defaults of its Helm chart and documentation. */
const keda = {
  /** CPU requests of operator, metrics server and admission webhooks: 100m each. */
  vcpus: 0.3,
  /** A ScaledObject's pollingInterval. */
  pollSeconds: 30,
  /** Above zero, each request of the HPA controller is another read, unless useCachedMetrics is set. */
  hpaSeconds: 15,
} as const;

/** In $ a month, for the same HPAs. */
export interface KedaCost extends Readonly<Record<Load, number>> {
  readonly what: string;
  readonly when: string;
  readonly arithmetic: string;
}

export function kedaCosts(plan: Plan): readonly KedaCost[] {
  const pods = plan.clusters.length * keda.vcpus * (monthSeconds / 3600) * prices.vcpuHour;
  const queues = monthlyReads(plan).reduce((sum, { what, count }) => sum + (what === "queue" ? count : 0), 0);
  const readEvery = (seconds: number) => ((queues * monthSeconds) / seconds) * prices.sqs.request;
  const polls = readEvery(keda.pollSeconds);
  const asked = readEvery(keda.hpaSeconds);
  const reads = `a read of each queue every ${keda.pollSeconds} s`;
  const questions = `above zero also every ${keda.hpaSeconds} s`;
  const requested = `${keda.vcpus} vCPU in each of ${many(plan.clusters.length, "cluster")}`;
  return [
    {
      what: "KEDA 2.20, if its pods need nodes",
      when: "with nodes for its pods",
      ...{ atRest: pods + polls, moving: pods + polls + asked },
      arithmetic: `${requested} × ${number(monthSeconds / 3600)} h × $${prices.vcpuHour}, and ${reads}, ${questions}`,
    },
    {
      what: "KEDA, if your nodes have room",
      when: "if your nodes have room for its pods",
      ...{ atRest: polls, moving: polls + asked },
      arithmetic: `${reads}, ${questions}`,
    },
    {
      what: "KEDA with useCachedMetrics too",
      when: "with useCachedMetrics too",
      ...{ atRest: polls, moving: polls },
      arithmetic: reads,
    },
  ];
}

export function whenKedaIsCheaper(ebb: Readonly<Record<Load, number>>, cases: readonly KedaCost[]): string {
  const cheaper = cases.flatMap((one) => {
    const [atRest, moving] = [one.atRest < ebb.atRest, one.moving < ebb.moving];
    if (atRest && moving) return [one.when];
    return atRest ? [`at rest ${one.when}`] : moving ? [`moving ${one.when}`] : [];
  });
  return cheaper.length === 0 ? "KEDA costs less in none of these cases" : `KEDA costs less ${cheaper.join("; ")}`;
}
