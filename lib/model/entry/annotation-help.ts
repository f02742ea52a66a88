import { adoptZeroAnnotation } from "./adopt-zero";
import { busyAnnotation, spareBusyAnnotation, spareBusyForAnnotation } from "./busy-rule";
import type { EntryKind } from "./kinds";
import { rulesAnnotation } from "./metric-rules";
import { syncPeriodAnnotation } from "./options";
import { zeroAnnotation } from "./zero-rule";

export const pausedAnnotation = "ebb.dev/paused";
export const pausedUntilAnnotation = "ebb.dev/paused-until";
export const dryRunAnnotation = "ebb.dev/dry-run";
export const wakeAnnotation = "ebb.dev/wake";
export const historyAnnotation = "ebb.dev/history";
export const clusterAnnotation = "ebb.dev/cluster";

interface AnnotationHelp {
  readonly name: string;
  /** Absent: any kind. */
  readonly kind?: EntryKind;
  readonly form: string;
  readonly description: string;
  readonly verbs: readonly string[];
}

/** docs/configuration.md is generated from this. */
export const annotationHelp: readonly AnnotationHelp[] = [
  {
    name: pausedAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: '"true" or "false"',
    description: "ebb neither decides nor scales until you remove this or set it to false.",
    verbs: ["pause", "resume"],
  },
  {
    name: pausedUntilAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: "an RFC 3339 time such as 2026-03-01T12:00:00Z",
    description: "ebb pauses the HPA until then. Either annotation pauses it.",
    verbs: ["pause", "resume"],
  },
  {
    name: dryRunAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: '"true" or "false"',
    description: "ebb decides and records, but never writes the scale.",
    verbs: ["dry-run"],
  },
  {
    name: rulesAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: 'JSON: rules by metric, such as {"orders": {"confirm": 2}}',
    description:
      "Rules by metric, by its name or as ebb explain prints it, as a MetricSource has them. Each replaces the source's; null takes away its fallback or maxReplicas.",
    verbs: ["annotate", "import keda"],
  },
  {
    name: zeroAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: 'JSON with after, from and initialAfter, such as {"after": "300s", "from": 1}',
    description:
      "The External and Object metrics decide between zero and from: zero once none has had work for after, from any size and past every policy; else at least from. Needs minReplicas 0.",
    verbs: ["annotate", "import keda"],
  },
  {
    name: busyAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: "annotation: NAME, metric: NAME or http: :PORT/PATH",
    description: "Which pods are busy: those with the annotation, or a number above 0. Idle pods go first.",
    verbs: ["annotate"],
  },
  {
    name: spareBusyAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: '"true" or "false"',
    description: "Never fewer replicas than busy pods.",
    verbs: ["annotate"],
  },
  {
    name: spareBusyForAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: "whole seconds from 1s to 168h, such as 30m or 2h",
    description: "The longest wait for busy pods. Default: no limit.",
    verbs: ["annotate"],
  },
  {
    name: adoptZeroAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: "the target's uid/resourceVersion",
    description: "ebb takes over this one zero of the target, as if it had made it. Any other zero stays its maker's.",
    verbs: ["adopt"],
  },
  {
    name: syncPeriodAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: "whole seconds from 1s to 1h, such as 30s, 5m or 1h",
    description:
      "How often ebb syncs the HPA. The same as spec.syncPeriodSeconds, for API servers that do not know that field; both must be equal.",
    verbs: ["annotate"],
  },
  {
    name: wakeAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: '"fast" or "slot"',
    description:
      "At zero, fast reads the HPA's sources every second, and slot once in each slot. Without it, the deployment's param wakeDefault applies.",
    verbs: ["annotate"],
  },
  {
    name: historyAnnotation,
    kind: "HorizontalPodAutoscaler",
    form: '"true" or "false"',
    description:
      "With false, the table keeps no history of the HPA. Without it, the deployment's param historyDays applies.",
    verbs: ["annotate"],
  },
  {
    name: clusterAnnotation,
    form: "a cluster's name",
    description: "The cluster of an HPA or MetricSource. In the table, the partition key names it.",
    verbs: ["init", "import hpa", "import keda"],
  },
];
