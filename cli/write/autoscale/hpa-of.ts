import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricTarget,
} from "../../../lib/k8s/hpa";
import { present } from "../../../lib/k8s/map";
import { failure } from "../../shell/failure";
import { QuantityError, parseQuantity } from "../../../lib/k8s/quantity";
import { isFault } from "../../../lib/model/fault";
import { parseOneQueue } from "../../../lib/sources/sqs/sqs-query";

interface ScalableKind {
  readonly words: RegExp;
  readonly apiVersion: string;
  readonly kind: string;
}

/** Kubernetes' own kinds that have a scale. */
const scalableKinds: readonly ScalableKind[] = [
  { words: /^(deployments?|deploy)(\.(v1\.)?apps)?$/, apiVersion: "apps/v1", kind: "Deployment" },
  { words: /^(statefulsets?|sts)(\.(v1\.)?apps)?$/, apiVersion: "apps/v1", kind: "StatefulSet" },
  { words: /^(replicasets?|rs)(\.(v1\.)?apps)?$/, apiVersion: "apps/v1", kind: "ReplicaSet" },
  { words: /^(replicationcontrollers?|rc)(\.v1\.)?$/, apiVersion: "v1", kind: "ReplicationController" },
];

export const scalableWords = scalableKinds.map(({ kind }) => kind.toLowerCase());

/**
 * TYPE NAME or TYPE/NAME. A custom kind needs its apiVersion, since the table does not know the cluster's kinds.
 * @throws Failure
 */
export function scalableOf(args: readonly string[], apiVersion: string | undefined): CrossVersionObjectReference {
  const [type = "", name = "", ...more] = args.length === 1 ? (args[0]?.split("/") ?? []) : args;
  if (type === "" || name === "" || more.length > 0 || name.includes("/")) {
    throw failure(`expected TYPE NAME or TYPE/NAME, as in "deployment web", got "${args.join(" ")}"`);
  }
  if (apiVersion !== undefined) return { apiVersion, kind: customKind(type, apiVersion), name };
  const known = scalableKinds.find(({ words }) => words.test(type.toLowerCase()));
  if (known !== undefined) return { apiVersion: known.apiVersion, kind: known.kind, name };
  const kinds = scalableKinds.map(({ kind }) => kind.toLowerCase()).join(", ");
  const hint = "or a custom kind with its version, as in Rollout --api-version argoproj.io/v1alpha1";
  throw failure(`"${type}" is not a kind that ebb knows by name: expected one of ${kinds}, ${hint}`);
}

function customKind(type: string, apiVersion: string): string {
  if (!/^([a-z0-9.-]+\/)?v[a-z0-9]+$/.test(apiVersion)) {
    throw failure(`--api-version: expected a group and version such as apps/v1, got "${apiVersion}"`);
  }
  if (!/^[A-Z][A-Za-z0-9]*$/.test(type)) {
    throw failure(`with --api-version, expected the kind as a document has it, such as Rollout, got "${type}"`);
  }
  return type;
}

/** Below 0: not given. */
export interface HpaOptions {
  readonly min: number;
  readonly max?: number;
  readonly cpu?: string;
  readonly cpuPercent: number;
  readonly memory?: string;
  readonly sqs?: string;
  readonly perReplica?: string;
  readonly queueRegion?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}

/** @throws Failure, in kubectl's words if it has some */
export function hpaOf(args: readonly string[], options: HpaOptions, namespace: string): HorizontalPodAutoscaler {
  const { min, max, name, apiVersion } = options;
  if (max === undefined) throw failure('required flag(s) "max" not set');
  const scaleTargetRef = scalableOf(args, apiVersion);
  if (max < 1) throw failure(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
  if (max < min) throw failure(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`);
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
  if (cpu !== undefined && cpuPercent > 0) throw failure("--cpu-percent and --cpu are mutually exclusive");
  const queue = { ...present({ perReplica, queueRegion }) };
  if (sqs === undefined && Object.keys(queue).length > 0) throw failure("--per-replica and --queue-region need --sqs");
  return [
    ...(cpuPercent > 0 ? [resourceMetric("cpu", `${cpuPercent}%`)] : []),
    ...(cpu === undefined ? [] : [resourceMetric("cpu", cpu)]),
    ...(memory === undefined ? [] : [resourceMetric("memory", memory)]),
    ...(sqs === undefined ? [] : [queueMetric({ sqs, ...queue })]),
  ];
}

interface QueueOptions {
  /** Name, URL or ARN. */
  readonly sqs: string;
  /** Messages for each pod. */
  readonly perReplica?: string;
  readonly queueRegion?: string;
}

/** @throws Failure */
function queueMetric({ sqs, perReplica, queueRegion }: QueueOptions): MetricSpec {
  if (perReplica === undefined) throw failure("--sqs needs --per-replica N, the number of messages for each replica");
  const region = queueRegion === undefined ? {} : { region: queueRegion };
  // A label's value cannot hold a URL.
  const address = parsed({ queue: sqs, ...region });
  const matchLabels = {
    queue: address.name,
    ...present({ region: address.region, account: address.account }),
  };
  const target = { type: "AverageValue", averageValue: messages(perReplica) };
  return { type: "External", external: { metric: { name: "sqs", selector: { matchLabels } }, target } };
}

function parsed(parameters: Readonly<Record<string, string>>): ReturnType<typeof parseOneQueue> {
  try {
    return parseOneQueue({ parameters });
  } catch (error) {
    if (isFault(error, "badEntry")) throw failure(`--sqs: ${error.message}`);
    throw error;
  }
}

function messages(given: string): string {
  try {
    parseQuantity(given);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw failure(`--per-replica: expected a number of messages such as 5, got "${given}"`);
  }
  return given;
}

/** kubectl's defaults. */
const units = { cpu: "m", memory: "Mi" } as const;

/**
 * `given`: "70%" of the pods' requests, or a quantity for each pod ("500m", "200Mi", a bare 500). Upstream:
 * parseResourceInput of kubectl's autoscale.go. @throws Failure in kubectl's words
 */
function resourceMetric(name: keyof typeof units, given: string): MetricSpec {
  return { type: "Resource", resource: { name, target: targetOf(name, given.trim()) } };
}

function targetOf(name: keyof typeof units, given: string): MetricTarget {
  if (given === "") throw failure("empty input");
  if (given.endsWith("%")) return { type: "Utilization", averageUtilization: percentage(given.slice(0, -1)) };
  const quantity = bareNumber.test(given) ? `${Number(given)}${units[name]}` : given;
  try {
    parseQuantity(quantity);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw failure(`invalid resource ${name} value: ${given}`);
  }
  return { type: "AverageValue", averageValue: quantity };
}

const bareNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function percentage(given: string): number {
  const value = /^\+?\d+$/.test(given) ? Number(given) : NaN;
  if (!(value < 2 ** 31)) throw failure(`invalid percentage value: ${given}`);
  return value;
}
