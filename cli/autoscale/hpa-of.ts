import type { HorizontalPodAutoscaler, MetricSpec } from "../../lib/api/hpa";
import { failure } from "../failure";
import { queueMetric } from "./queue-metric";
import { resourceMetric } from "./resource-metric";
import { scalableOf } from "./scalable";

/** As the command line gives them; numbers below 0 were not given. */
export interface HpaOptions {
  readonly min: number;
  readonly max: number;
  readonly cpu?: string;
  readonly cpuPercent: number;
  readonly memory?: string;
  readonly sqs?: string;
  readonly perReplica?: string;
  readonly queueRegion?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}

/** The autoscaler that a command line asks for. @throws Failure, in kubectl's words where it has some */
export function hpaOf(args: readonly string[], options: HpaOptions, namespace: string): HorizontalPodAutoscaler {
  const { min, max, name, apiVersion } = options;
  const scaleTargetRef = scalableOf(args, apiVersion);
  if (max < 1) throw failure(`--max=MAXPODS is required and must be at least 1, max: ${max}`, 2);
  if (max < min) throw failure(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`, 2);
  const metrics = metricsOf(options);
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: name ?? scaleTargetRef.name, namespace },
    spec: {
      scaleTargetRef,
      ...(min >= 0 && { minReplicas: min }),
      maxReplicas: max,
      ...(metrics.length > 0 && { metrics }),
    },
  };
}

function metricsOf({ cpu, cpuPercent, memory, sqs, perReplica, queueRegion }: HpaOptions): readonly MetricSpec[] {
  if (cpu !== undefined && cpuPercent > 0) throw failure("--cpu-percent and --cpu are mutually exclusive", 2);
  const queue = { ...(perReplica !== undefined && { perReplica }), ...(queueRegion !== undefined && { queueRegion }) };
  if (sqs === undefined && Object.keys(queue).length > 0)
    throw failure("--per-replica and --queue-region are for --sqs", 2);
  return [
    ...(cpuPercent > 0 ? [resourceMetric("cpu", `${cpuPercent}%`)] : []),
    ...(cpu === undefined ? [] : [resourceMetric("cpu", cpu)]),
    ...(memory === undefined ? [] : [resourceMetric("memory", memory)]),
    ...(sqs === undefined ? [] : [queueMetric({ sqs, ...queue })]),
  ];
}
