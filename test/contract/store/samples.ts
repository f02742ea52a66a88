import { correlate } from "../../../lib/sync/events/cached-event-log";
import { emptyLog, type EventLog } from "../../../lib/model/stored/event-log";
import type { EpochMs } from "../../../lib/k8s/time";
import type { Shard } from "../../../lib/model/stored/shard";
import type { DecisionRecord, State } from "../../../lib/model/stored/state";

export const slot: EpochMs = Date.parse("2026-03-01T11:59:45Z");

const at = (text: string): EpochMs => Date.parse(`2026-03-01T${text}Z`);

export const clusterSpec = {
  endpoint: "https://api.example.com:6443",
  auth: { type: "token", secret: "prod/token" },
  options: { syncPeriodSeconds: 15, tolerance: 0.1 },
} as const;

export const hpaSpec = {
  scaleTargetRef: { kind: "Deployment", name: "worker" },
  minReplicas: 0,
  maxReplicas: 10,
};

export const typeMeta = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };

/** "shop/worker" with `hpaSpec`, as a document. */
export const worker = { ...typeMeta, metadata: { namespace: "shop", name: "worker" }, spec: hpaSpec };

export const shardOf = (cluster: string, fields: Partial<Shard> = {}): Shard => ({
  cluster,
  from: "",
  to: null,
  version: 1,
  slot,
  heartbeat: slot,
  behind: {},
  entries: 0,
  ...fields,
});

export const state = (version: number, desiredReplicas = 1): State => ({
  version,
  slot,
  targetUid: "0f2d",
  status: { desiredReplicas, currentReplicas: 1, currentMetrics: null, conditions: [] },
  history: { recommendations: [{ replicas: 1, since: slot, at: slot }], scaleUpEvents: [], scaleDownEvents: [] },
  open: true,
});

/** Everything that a state can hold. */
export const fullState: Partial<State> = {
  status: {
    observedGeneration: 1,
    lastScaleTime: "2026-03-01T11:59:45Z",
    currentReplicas: 0,
    desiredReplicas: 4,
    currentMetrics: [
      {
        type: "External",
        external: {
          metric: { name: "sqs", selector: { matchLabels: { queue: "orders" } } },
          current: { value: "31", averageValue: "500m" },
        },
      },
      { type: "" },
    ],
    conditions: [
      {
        type: "AbleToScale",
        status: "True",
        reason: "SucceededRescale",
        message: "",
        lastTransitionTime: "2026-03-01T11:59:45Z",
      },
    ],
  },
  history: {
    recommendations: [
      { replicas: 0, since: slot - 60_000, at: slot - 15_000 },
      { replicas: 4, since: slot, at: slot },
    ],
    scaleUpEvents: [{ change: 4, at: slot }],
    scaleDownEvents: [{ change: 2, at: slot - 60_000, foundAt: slot - 45_000 }],
  },
  closedAt: slot,
  intent: {
    from: 0,
    to: 4,
    at: slot,
    resourceVersion: "123456",
    countsAsEvent: true,
    message: "New size: 4; reason: external metric sqs above target",
    scaledToZero: false,
    steps: [{ stage: "combine", replicas: 4, because: "the highest of 1: depth", detail: { blind: 0 } }],
  },
  selector: "app=worker",
  decision: {
    at: slot,
    from: 0,
    desiredReplicas: 4,
    steps: [{ stage: "decide", replicas: 4, because: "from 0 to 4" }],
  },
  recorded: { at: slot - 60_000, desiredReplicas: 2, limitedBy: ["ScaleUpLimit"] },
  warnings: [{ type: "Warning", reason: "FailedGetExternalMetric", message: "no datapoint in 5m" }],
  readings: {
    'sqs {"queue":"orders"}': {
      response: { items: [{ metricName: "sqs", timestamp: "2026-03-01T11:59:44Z", value: "31", metricLabels: null }] },
      readAt: slot - 1,
    },
    "kafka {}": {
      response: { items: [] },
      readAt: slot,
      places: { "orders-0": { at: "9223372036854775807", since: slot - 60_000 } },
    },
    "cloudwatch {}": { response: { error: "no datapoint in 5m", from: "cloudwatch" }, readAt: slot },
  },
};

export const decision = (at: EpochMs): DecisionRecord => ({
  at,
  from: 0,
  scaleTo: 4,
  desiredReplicas: 4,
  events: [{ type: "Normal", reason: "SuccessfulRescale", message: "New size: 4" }],
  steps: [{ stage: "decide", replicas: 4, because: "from 0 to 4" }],
});

/** One warning at 12:20. */
export const { log: oneEvent } = correlate(
  emptyLog,
  { type: "Warning", reason: "Bad", message: "thing", name: "worker.1" },
  at("12:20:00"),
);

/** All that a log can hold. */
export const fullLog: EventLog = {
  entries: [
    {
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "New size: 4",
      name: "worker.a1",
      firstTimestamp: at("11:00:00"),
      count: 2,
      seenAt: at("12:00:00"),
      recorded: { count: 2, at: at("12:00:00") },
    },
    {
      type: "Warning",
      reason: "FailedGetScale",
      message: "(combined from similar events): gone 10",
      combined: true,
      name: "worker.a2",
      firstTimestamp: at("12:10:00"),
      count: 5,
      seenAt: at("12:21:00"),
      recorded: { count: 3, at: at("12:20:00") },
    },
    {
      type: "Warning",
      reason: "FailedGetScale",
      message: "dropped from the first on",
      name: "worker.a3",
      firstTimestamp: at("12:10:00"),
      count: 5,
      seenAt: at("12:21:00"),
    },
  ],
  groups: [{ type: "Warning", reason: "FailedGetScale", messages: ["gone 2", "gone 3"], at: at("12:21:00") }],
  buckets: { Warning: { tokens: 0.123456789012345, at: at("12:20:00") }, Normal: { tokens: 23, at: at("12:00:00") } },
};
