import { hpasOf, type Load, type Plan } from "./plan";
import { monthSeconds, prices } from "../../lib/model/prices";
import { monthlyReads } from "./source-reads";

/** KEDA 2.20 as its Helm chart and its documentation leave it. */
const keda = {
  /** CPU that its pods request: operator, metrics server and admission webhooks, 100m each. */
  vcpus: 0.3,
  /** pollingInterval of a ScaledObject. */
  pollSeconds: 30,
  /** Above zero, the HPA controller asks too, and without useCachedMetrics each of its questions is another read. */
  hpaSeconds: 15,
} as const;

/** What KEDA with its defaults costs for the same HPAs, in $ a month: its pods in every cluster, its reads of SQS. */
export interface KedaCost extends Readonly<Record<Load, number>> {
  readonly arithmetic: string;
}

export function kedaCost(plan: Plan): KedaCost {
  const pods = plan.clusters.length * keda.vcpus * (monthSeconds / 3600) * prices.vcpuHour;
  const queues = monthlyReads(plan).reduce((sum, { what, count }) => sum + (what === "queue" ? count : 0), 0);
  const polls = (queues * monthSeconds) / keda.pollSeconds;
  const asked = (queues * monthSeconds) / keda.hpaSeconds;
  return {
    atRest: pods + polls * prices.sqs.request,
    moving: pods + (polls + asked) * prices.sqs.request,
    arithmetic: `${keda.vcpus} vCPU in each cluster (what its pods request), and a read of each queue every ${keda.pollSeconds} s, above zero also every ${keda.hpaSeconds} s, for ${hpasOf(plan)} ScaledObjects`,
  };
}
