import { clusterAnnotation } from "../../lib/model/annotations";
import { scalar } from "./cluster-file";
import { modeline, type Starter } from "./cluster-file";

/** hpa-queue.yaml: consumers of a queue, to zero and back. */
export function queueFile(starter: Starter): string {
  return `${modeline("hpa.json")}# Consumers of an SQS queue: none while it is empty, one for each five messages, twenty at most.
# Replace order-worker by your Deployment and orders by your queue.
${head(starter, "order-worker")}
  # 0: nothing runs, and nothing is paid for, while there is nothing to do. Needs an Object or External metric.
  minReplicas: 0
  maxReplicas: 20
  metrics:
    - type: External
      external:
        metric:
          # sqs and cloudwatch need no more than this; other names are a MetricSource's (source.yaml), or the cluster's own.
          name: sqs
          selector:
            matchLabels:
              # The queue's name, URL or ARN.
              queue: orders
        target:
          type: AverageValue
          # Messages for each replica.
          averageValue: "5"
  behavior:
    scaleDown:
      # How long the highest recommendation of the past holds a scale-down; 300 without this.
      stabilizationWindowSeconds: 60
`;
}

/** hpa-cpu.yaml: a web server by its CPU. */
export function cpuFile(starter: Starter): string {
  return `${modeline("hpa.json")}# A web server that keeps its pods at 60 percent of the CPU that they request. Replace web by your Deployment.
# What kubectl get hpa -o yaml prints is a document, too: autoscaling/v2, v1 and the v2 betas are understood.
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

/** source.yaml: a metric under a name of its own. */
export function sourceFile({ cluster }: Starter): string {
  return `${modeline("metric-source.json")}# A metric of CloudWatch under a name of its own: an External metric named queue-age is read from here.
# The labels of the HPA's metric go over these parameters one by one: one source serves many queues.
#
#   metric: {name: queue-age, selector: {matchLabels: {dimension.QueueName: invoices}}}
apiVersion: ebb.dev/v1
kind: MetricSource
metadata:
  name: queue-age
  annotations:
    ${clusterAnnotation}: ${scalar(cluster)}
spec:
  # sqs or cloudwatch
  kind: cloudwatch
  parameters:
    namespace: AWS/SQS
    metricName: ApproximateAgeOfOldestMessage
    statistic: Maximum
    # Seconds. Each read of a metric is charged for, and none is made more often than its period.
    period: 60
`;
}

function head({ cluster, namespace }: Starter, name: string): string {
  return `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
  namespace: ${scalar(namespace)}
  annotations:
    # Which cluster it belongs to.
    ${clusterAnnotation}: ${scalar(cluster)}
    # "true": decides and records, and never writes the scale. To try it out, or beside the cluster's own controller.
    # ebb.dev/dry-run: "true"
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: ${name}`;
}
