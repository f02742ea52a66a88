import { withDefaults } from "../../lib/k8s/defaults";
import type { Behavior, HorizontalPodAutoscaler, HpaSpec, HpaStatus, MetricSpec } from "../../lib/k8s/hpa";
import type { MetricResponse, Pod, Scale } from "../../lib/k8s/objects";
import type { History, Options, Situation } from "../../lib/model/situation";

/** Noon: instants in the tests of this folder are seconds from here. */
export const noon = Date.parse("2026-03-01T12:00:00Z");
export const at = (seconds: number) => noon + seconds * 1000;
export const clock = (seconds: number) => new Date(at(seconds)).toISOString().replace(".000Z", "Z");

export const options: Options = {
  tolerance: 0.1,
  downscaleStabilizationSeconds: 300,
  cpuInitializationPeriodSeconds: 300,
  initialReadinessDelaySeconds: 30,
};

/** "queue" with 10 a pod. */
export const perPod: MetricSpec = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
};

export const cpu50: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};

export function hpaWith(spec: Partial<HpaSpec> = {}, status?: HpaStatus): HorizontalPodAutoscaler {
  return withDefaults({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [perPod],
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  });
}

export function scaleOf(replicas: number, running = replicas, selector = "app=web"): Scale {
  return {
    metadata: { name: "web", resourceVersion: "7" },
    spec: { replicas },
    status: { replicas: running, selector },
  };
}

export function external(...values: readonly (string | number)[]): MetricResponse {
  return { items: values.map((value) => ({ metricName: "queue", timestamp: clock(0), value })) };
}

export const scaledToZero: HpaStatus = {
  conditions: [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" }],
};

export const nothingSoFar: History = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };

export function situationWith(given: Partial<Situation> = {}): Situation {
  return {
    hpa: hpaWith(),
    scale: scaleOf(2),
    pods: [],
    metrics: [external("20")],
    history: nothingSoFar,
    options,
    otherHpas: [],
    ...given,
  };
}

/** Steady: no window holds, and each direction may move as it likes. */
export const unhindered: Behavior = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Pods", value: 100, periodSeconds: 15 }],
  },
  scaleDown: {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
  },
};

export interface PodGiven {
  readonly phase?: string;
  readonly ready?: "True" | "False" | "Unknown" | "none";
  /** Seconds from noon; null: never. */
  readonly started?: number | null;
  readonly changed?: number;
  readonly request?: string | null;
  readonly deleted?: boolean;
}

/** A pod of the target: an hour old, ready since, requests 1 CPU, unless said otherwise. */
export function podOf(name: string, given: PodGiven = {}): Pod {
  const { phase = "Running", ready = "True", started = -3600, changed = -3590, request = "1", deleted = false } = given;
  return {
    metadata: { name, labels: { app: "web" }, ...(deleted ? { deletionTimestamp: clock(-5) } : {}) },
    spec: { containers: [{ name: "app", resources: request === null ? {} : { requests: { cpu: request } } }] },
    status: {
      phase,
      ...(started === null ? {} : { startTime: clock(started) }),
      conditions: ready === "none" ? [] : [{ type: "Ready", status: ready, lastTransitionTime: clock(changed) }],
    },
  };
}

/** What metrics.k8s.io says of these pods' CPU, measured over the 30 seconds before `seconds`. */
export function cpuUse(use: Readonly<Record<string, string>>, seconds = 0): MetricResponse {
  return {
    items: Object.entries(use).map(([name, cpu]) => ({
      metadata: { name },
      timestamp: clock(seconds),
      window: "30s",
      containers: [{ name: "app", usage: { cpu } }],
    })),
  };
}
