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
    const period = { periodSeconds: around.periodSeconds, of: "cluster" } as const;
    return timeoutsIn(document["spec"]).flatMap(({ path, seconds }) =>
      tooLong(`spec.parameters.${path}`, seconds, period),
    );
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
    if (period.of !== "HPA") return [];
    const spec = known.entries.get(name);
    const ofOperands = operandsIn(spec).map(({ source }) => known.entries.get(String(source)));
    const all = [spec, ...ofOperands].flatMap(timeoutsIn).map(({ seconds }) => seconds);
    return tooLong(`${path}.name`, Math.max(...all), period);
  });
}

/** A source's own, and those of a formula's operands. */
function timeoutsIn(spec: unknown): readonly { readonly path: string; readonly seconds: number }[] {
  const all = [
    { path: "timeoutSeconds", given: parametersIn(spec)["timeoutSeconds"] },
    ...operandsIn(spec).map(({ labels }, index) => ({
      path: `operands[${index}].labels.timeoutSeconds`,
      given: isMap(labels) ? labels["timeoutSeconds"] : undefined,
    })),
  ];
  return all.filter(({ given }) => given !== undefined).map(({ path, given }) => ({ path, seconds: Number(given) }));
}

function operandsIn(spec: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { operands } = parametersIn(spec);
  return Array.isArray(operands) ? (operands as readonly unknown[]).filter(isMap) : [];
}

function parametersIn(spec: unknown): Readonly<Record<string, unknown>> {
  const parameters = isMap(spec) ? spec["parameters"] : undefined;
  return isMap(parameters) ? parameters : {};
}

interface Period {
  readonly periodSeconds: number;
  readonly of: "cluster" | "HPA";
}

/** No number is not too long: another check refuses it. */
function tooLong(path: string, seconds: number, { periodSeconds, of }: Period): readonly FieldError[] {
  const most = periodSeconds / 2;
  if (!(seconds > most)) return [];
  const why = `half of the ${of}'s sync period of ${periodSeconds} s`;
  const text = `${path}: expected timeoutSeconds of at most ${most}, ${why}, got ${seconds}: a source that hangs would keep its HPA from deciding`;
  return [{ path, text }];
}
