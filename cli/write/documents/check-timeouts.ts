import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { isMap } from "../../../lib/k8s/map";
import type { FieldError } from "../../../lib/k8s/validate/field-error";
import { ownPeriodSeconds } from "../../../lib/model/entry/options";
import type { KnownEntries } from "../../../lib/sources/validate-parameters";
import type { EntryContent, EntryRef } from "../../../lib/model/ports/entries";

interface Checked extends Pick<EntryContent, "document"> {
  readonly ref: Pick<EntryRef, "kind">;
}

interface Around {
  readonly known: KnownEntries;
  readonly periodSeconds: number;
}

/** A source that hangs must leave its HPA half of the sync period, to decide with the other metrics. */
export function timeoutErrors({ ref, document }: Checked, around: Around): readonly FieldError[] {
  if (ref.kind === "MetricSource") {
    const { periodSeconds } = around;
    return tooLong("spec.parameters.timeoutSeconds", timeoutIn(document["spec"]), { periodSeconds, of: "cluster" });
  }
  return ref.kind === "HorizontalPodAutoscaler"
    ? hpaErrors(document as unknown as HorizontalPodAutoscaler, around)
    : [];
}

/** A source's own time-out is its entry's fault, unless this HPA has a shorter period than the cluster. */
function hpaErrors(hpa: HorizontalPodAutoscaler, { known, periodSeconds }: Around): readonly FieldError[] {
  const own = ownPeriodSeconds(hpa) ?? Infinity;
  const period = { periodSeconds: Math.min(own, periodSeconds), of: own < periodSeconds ? "HPA" : "cluster" } as const;
  return (hpa.spec.metrics ?? []).flatMap(({ external }, index) => {
    if (external === undefined) return [];
    const { name, selector } = external.metric;
    const path = `spec.metrics[${index}].external.metric`;
    const label = selector?.matchLabels?.["timeoutSeconds"];
    if (label !== undefined) return tooLong(`${path}.selector.matchLabels.timeoutSeconds`, Number(label), period);
    return period.of === "HPA" ? tooLong(`${path}.name`, timeoutIn(known.entries.get(name)), period) : [];
  });
}

function timeoutIn(spec: unknown): number {
  const parameters = isMap(spec) ? spec["parameters"] : undefined;
  return isMap(parameters) ? Number(parameters["timeoutSeconds"]) : NaN;
}

interface Period {
  readonly periodSeconds: number;
  readonly of: "cluster" | "HPA";
}

/** NaN: there is none. */
function tooLong(path: string, seconds: number, { periodSeconds, of }: Period): readonly FieldError[] {
  const most = periodSeconds / 2;
  if (!(seconds > most)) return [];
  const why = `half of the ${of}'s sync period of ${periodSeconds} s`;
  const text = `${path}: expected timeoutSeconds of at most ${most}, ${why}, got ${seconds}: a source that hangs would keep its HPA from deciding`;
  return [{ path, text }];
}
