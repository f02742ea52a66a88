import type { Condition } from "../../lib/k8s/objects";
import { parseSelector } from "../../lib/k8s/selector";
import { asHpaKey } from "../../lib/model/hpa-key";
import type { HpaType } from "../../lib/model/notification";
import type { HpaRef, NotifiedEntry } from "../../lib/model/ports/notified";
import type { Step } from "../../lib/model/step";
import type { State } from "../../lib/model/stored/state";
import type { NotifySettings } from "../../lib/notify/settings";

export const noon = Date.parse("2026-03-01T12:00:00Z");
export const minutes = (count: number) => count * 60_000;
export const orders: HpaRef = { cluster: "prod", key: asHpaKey("shop/orders") };

export const entry: NotifiedEntry = {
  labels: { team: "shop" },
  annotations: {},
  minReplicas: 0,
  maxReplicas: 10,
  target: { kind: "Deployment", name: "orders" },
};

type Conditions = Readonly<Record<string, readonly [Condition["status"], string]>>;

const inOrder: Conditions = {
  AbleToScale: ["True", "ReadyForNewScale"],
  ScalingActive: ["True", "ValidMetricFound"],
  ScalingLimited: ["False", "DesiredWithinRange"],
};

interface Given {
  readonly conditions?: Conditions;
  readonly current?: number;
  readonly desired?: number;
  readonly wants?: number;
  readonly scaledAt?: string;
  readonly warnings?: State["warnings"];
  readonly steps?: readonly Step[];
}

/** As a sync `at` a moment leaves it. */
export function stateAt(at: number, version: number, { conditions = {}, current = 2, ...given }: Given = {}): State {
  const { desired = current, wants = desired, scaledAt, warnings, steps = [] } = given;
  const all = Object.entries({ ...inOrder, ...conditions });
  return {
    version,
    slot: at,
    open: true,
    history: null,
    ...(warnings && { warnings, failingSince: at }),
    status: {
      currentReplicas: current,
      desiredReplicas: desired,
      ...(scaledAt !== undefined && { lastScaleTime: scaledAt }),
      conditions: all.map(([type, [status, reason]]) => ({ type, status, reason, message: `why: ${reason}` })),
    },
    decision: { at, from: current, desiredReplicas: wants, steps },
  };
}

export const atMax: Given = {
  current: 10,
  conditions: { ScalingLimited: ["True", "TooManyReplicas"] },
  steps: [{ stage: "bounds", replicas: 10, limitedBy: "TooManyReplicas", because: "at most 10" }],
};
export const failing: Given = {
  conditions: { AbleToScale: ["False", "FailedGetScale"] },
  warnings: [{ type: "Warning", reason: "FailedGetScale", message: "no such deployment" }],
};
export const unknownMetric: Given = {
  conditions: { ScalingActive: ["False", "FailedGetExternalMetric"] },
  warnings: [{ type: "Warning", reason: "FailedGetExternalMetric", message: "the queue does not answer" }],
  steps: [{ stage: "combine", replicas: null, because: "no metric could be read" }],
};
export const pausedState: Given = { conditions: { ScalingActive: ["False", "Paused"] } };
const disabled: readonly Step[] = [{ stage: "gate", replicas: 0, limitedBy: "ScalingDisabled", because: "at zero" }];
export const ourZero: Given = { current: 0, conditions: { ScaledToZero: ["True", "ScaledToZero"] } };
export const foreignZero: Given = {
  current: 0,
  conditions: { ScalingActive: ["False", "ScalingDisabled"] },
  steps: disabled,
};

export function settingsWith(
  given: Partial<NotifySettings> & { readonly types?: readonly HpaType[]; readonly labels?: string } = {},
): NotifySettings {
  const { types = [], labels = "", ...settings } = given;
  return {
    stack: "ebb-prod",
    afterMs: { failing: minutes(1), "unknown-metric": minutes(10), "at-max": minutes(10), "not-woken": minutes(10) },
    hourlyCap: 100,
    filters: { types: new Set(types), clusters: new Set(), namespaces: new Set(), labels: parseSelector(labels) },
    ...settings,
  };
}
