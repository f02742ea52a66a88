import { stringify } from "yaml";
import { clusterAnnotation } from "../../lib/model/entry/annotation-names";
import { descriptions } from "../../lib/sources/descriptions";
import { builtInKinds, type KindName, sourceKinds } from "../../lib/sources/registry";
import { indented, modeline, scalar, type Starter } from "./cluster-file";

export const workSource = "work";

interface QueueMetric {
  readonly about: string;
  readonly metric: string;
  readonly unit: string;
  readonly averageValue: string;
}

const sqsQueue = (): QueueMetric => ({
  about: `Consumers of an SQS queue: none while it is empty, then one for every five messages, up to twenty.
# Replace order-worker with your Deployment and orders with your queue.`,
  metric: `# ${list(builtInKinds(), "and")} need no entry. Any other name is a MetricSource (source.yaml), or a metric that the cluster serves.
name: sqs
selector:
  matchLabels:
    # The queue's name, URL or ARN.
    queue: orders`,
  unit: "Messages per replica.",
  averageValue: "5",
});

function workOf(source: KindName): QueueMetric {
  const { averageValue = "5" } = descriptions[source];
  return {
    about: `Workers by the number that source.yaml reads: none while it is 0, then one for every ${averageValue}, up to twenty.
# Replace order-worker with your Deployment.`,
    metric: `# The MetricSource in source.yaml. Labels of a selector here override its parameters, one by one.
name: ${workSource}`,
    unit: "How much of the number is for one replica.",
    averageValue,
  };
}

export function queueFile(starter: Starter): string {
  const { about, metric, unit, averageValue } = starter.source === undefined ? sqsQueue() : workOf(starter.source);
  return `${modeline("hpa.json")}# ${about}
${head(starter, "order-worker")}
  # 0: no pods while there is no work. This needs an Object or External metric.
  minReplicas: 0
  maxReplicas: 20
  metrics:
    - type: External
      external:
        metric:
${indented(metric, 10)}
        target:
          type: AverageValue
          # ${unit}
          averageValue: "${averageValue}"
  behavior:
    scaleDown:
      # For how many seconds the highest recent recommendation delays a scale-down. Default 300.
      stabilizationWindowSeconds: 60
`;
}

export function cpuFile(starter: Starter): string {
  return `${modeline("hpa.json")}# A web server that keeps its pods at 60 percent of the CPU that they request. Replace web with your Deployment.
# ebb also takes what kubectl get hpa -o yaml prints: autoscaling/v2, v1 and the v2 betas.
${head(starter, "web")}
  minReplicas: 2
  maxReplicas: 10
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: 60
`;
}

export function sourceFile({ cluster, source }: Starter): string {
  return source === undefined ? queueAgeFile(cluster) : workFile(cluster, source);
}

function workFile(cluster: string, source: KindName): string {
  const { summary, example, parameters, fields } = descriptions[source];
  const given = Object.entries(example).map(
    ([name, value]) => `# ${descriptionIn(parameters, name)}\n${stringify({ [name]: value }, { lineWidth: 0 })}`,
  );
  const others = Object.keys(fields).filter((name) => !(name in example) && fields[name]?.type !== "named");
  return `${modeline("metric-source.json")}# ${summary}
# ebb reads External metrics named ${workSource} from this source. Replace the values with yours.
apiVersion: ebb.dev/v1
kind: MetricSource
metadata:
  name: ${workSource}
  annotations:
    ${clusterAnnotation}: ${scalar(cluster)}
spec:
  kind: ${source}
  parameters:
${indented(given.join(""), 4)}    # Others: ${others.join(", ")}.
    # \`ebb explain source.spec.parameters\` describes them.
`;
}

function descriptionIn(parameters: ParametersSchema, name: string): string {
  const { properties = {}, patternProperties = {} } = parameters;
  const ofPattern = Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern).test(name));
  return (properties[name] ?? ofPattern?.[1])?.description ?? "";
}

interface ParametersSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly patternProperties?: Readonly<Record<string, { readonly description?: string }>>;
}

function queueAgeFile(cluster: string): string {
  return `${modeline("metric-source.json")}# A CloudWatch metric with a name of its own: ebb reads External metrics named queue-age from this source.
# The labels of the HPA's metric override these parameters one by one, so one source serves many queues.
#
#   metric: {name: queue-age, selector: {matchLabels: {dimension.QueueName: invoices}}}
apiVersion: ebb.dev/v1
kind: MetricSource
metadata:
  name: queue-age
  annotations:
    ${clusterAnnotation}: ${scalar(cluster)}
spec:
  # ${list(Object.keys(sourceKinds), "or")}
  kind: cloudwatch
  parameters:
    namespace: AWS/SQS
    metricName: ApproximateAgeOfOldestMessage
    statistic: Maximum
    # Seconds. AWS charges for each read of a metric. ebb reads it at most once a period.
    period: 60
`;
}

function list(names: readonly string[], word: "and" | "or"): string {
  const type = word === "and" ? "conjunction" : "disjunction";
  return new Intl.ListFormat("en", { type }).format(names);
}

function head({ cluster, namespace }: Starter, name: string): string {
  return `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
  namespace: ${scalar(namespace)}
  annotations:
    # The cluster that it belongs to.
    ${clusterAnnotation}: ${scalar(cluster)}
    # "true": ebb decides and records, but never writes the scale. Use it for a trial, or beside the cluster's own controller.
    # ebb.dev/dry-run: "true"
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: ${name}`;
}
