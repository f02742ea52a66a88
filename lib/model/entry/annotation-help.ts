import { adoptZeroAnnotation } from "./adopt-zero";
import {
  pausedAnnotation,
  pausedUntilAnnotation,
  dryRunAnnotation,
  wakeAnnotation,
  historyAnnotation,
  clusterAnnotation,
  type annotationNames,
} from "./annotation-names";
import { busyAnnotation, spareBusyAnnotation, spareBusyForAnnotation } from "./busy-rule";
import { rulesAnnotation } from "./metric-rules";
import { syncPeriodAnnotation } from "./options";
import { zeroAnnotation } from "./zero-rule";

interface AnnotationHelp {
  readonly form: string;
  readonly description: string;
}

/** docs/configuration.md is generated from this. */
export const annotationHelp: Readonly<Record<(typeof annotationNames)[number], AnnotationHelp>> = {
  [pausedAnnotation]: {
    form: '"true" or "false"',
    description: "ebb neither decides nor scales until you remove this or set it to false.",
  },
  [pausedUntilAnnotation]: {
    form: "an RFC 3339 time such as 2026-03-01T12:00:00Z",
    description: "ebb pauses the HPA until then. Either annotation pauses it.",
  },
  [dryRunAnnotation]: {
    form: '"true" or "false"',
    description:
      "ebb decides and records, but never writes the scale, nor deletion costs of pods: those that it set before stay.",
  },
  [rulesAnnotation]: {
    form: 'JSON: rules by metric, such as {"orders": {"confirm": 2}}',
    description:
      "Rules by metric, by its name or as ebb explain prints it, as a MetricSource has them. Each replaces the source's; null takes away its fallback or maxReplicas.",
  },
  [zeroAnnotation]: {
    form: 'JSON with after, from and initialAfter, such as {"after": "300s", "from": 1}',
    description:
      "The External and Object metrics decide between zero and from: zero once none has had work for after, from any size and past every policy; else at least from. Needs minReplicas 0.",
  },
  [busyAnnotation]: {
    form: "annotation: NAME, metric: NAME or http: :PORT/PATH",
    description: "Which pods are busy: those with the annotation, or a number above 0. Idle pods go first.",
  },
  [spareBusyAnnotation]: {
    form: '"true" or "false"',
    description: "Never fewer replicas than busy pods.",
  },
  [spareBusyForAnnotation]: {
    form: "whole seconds from 1s to 168h, such as 30m or 2h",
    description: "The longest wait for busy pods. Default: no limit.",
  },
  [adoptZeroAnnotation]: {
    form: "the target's uid/resourceVersion",
    description: "ebb takes over this one zero of the target, as if it had made it. Any other zero stays its maker's.",
  },
  [syncPeriodAnnotation]: {
    form: "whole seconds from 1s to 1h, such as 30s, 5m or 1h",
    description:
      "How often ebb syncs the HPA. The same as spec.syncPeriodSeconds, for API servers that do not know that field; both must be equal.",
  },
  [wakeAnnotation]: {
    form: '"fast" or "slot"',
    description:
      "At zero, fast reads the HPA's sources every second, and slot once in each slot. Without it, the deployment's param wakeDefault applies.",
  },
  [historyAnnotation]: {
    form: '"true" or "false"',
    description:
      "With false, the table keeps no history of the HPA. Without it, the deployment's param historyDays applies.",
  },
  [clusterAnnotation]: {
    form: "a cluster's name",
    description: "The cluster of an HPA or MetricSource. In the table, the partition key names it.",
  },
};
