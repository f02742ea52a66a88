import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { isMap } from "../../../lib/k8s/map";
import type { FieldError } from "../../../lib/k8s/validate/field-error";
import type { ClusterSpec } from "../../../lib/model/entry/entries";
import { ownPeriodSeconds, syncPeriodMs } from "../../../lib/model/entry/options";
import type { KnownEntries } from "../../../lib/sources/validate-parameters";
import type { EntryContent, EntryRef } from "../../../lib/model/ports/entries";

interface Checked extends Pick<EntryContent, "document"> {
  readonly ref: Pick<EntryRef, "kind" | "name">;
}

/** Entries of the cluster in the table, without those that are about to be written. */
export interface StoredAround {
  readonly periodSeconds?: number;
  readonly sources: KnownEntries["entries"];
  readonly hpas: readonly HorizontalPodAutoscaler[];
}

interface Around {
  readonly known: KnownEntries;
  /** Default: the default of clusters. */
  readonly periodSeconds?: number;
  readonly stored?: StoredAround;
}

/** A source that hangs must leave its HPA half of the sync period, to decide with the other metrics. */
export function timeoutErrors({ ref, document }: Checked, around: Around): readonly FieldError[] {
  switch (ref.kind) {
    case "Cluster":
      return clusterErrors(document["spec"], around.stored);
    case "MetricSource":
      return sourceErrors(ref.name, document["spec"], around);
    case "HorizontalPodAutoscaler":
      return hpaErrors(document as unknown as HorizontalPodAutoscaler, around);
  }
}

export function periodIn(spec: unknown): number {
  return syncPeriodMs((spec as Partial<ClusterSpec> | undefined)?.options) / 1000;
}

const mostNamed = 3;

/** A stored time-out that was too long before is no fault of this change. */
function clusterErrors(spec: unknown, { periodSeconds: before, sources, hpas }: StoredAround = nothing) {
  const periodSeconds = periodIn(spec);
  if (before !== undefined && periodSeconds >= before) return [];
  const slow = [
    ...[...sources].map(([name, source]) => ({ of: `source ${name}`, seconds: longestOf(source) })),
    ...hpas.map((hpa) => ({ of: called(hpa), seconds: Math.max(...labelsOf(hpa).map(({ seconds }) => seconds)) })),
  ].filter(({ seconds }) => seconds > periodSeconds / 2);
  if (slow.length === 0) return [];
  const path = "spec.options.syncPeriodSeconds";
  const least = Math.ceil(2 * Math.max(...slow.map(({ seconds }) => seconds)));
  const names = slow.slice(0, mostNamed).map(({ of, seconds }) => `${of} (${seconds} s)`);
  const more = slow.length > mostNamed ? [`${slow.length - mostNamed} more`] : [];
  const text = `${path}: expected at least ${least}, twice the timeoutSeconds of ${[...names, ...more].join(", ")}, got ${periodSeconds}: ${why}`;
  return [{ path, text }];
}

const nothing: StoredAround = { sources: new Map(), hpas: [] };

function sourceErrors(name: string, spec: unknown, { known, periodSeconds = periodIn({}), stored = nothing }: Around) {
  const readers = [name, ...[...stored.sources].flatMap(([other, by]) => (readsSource(by, name) ? [other] : []))];
  const [fastest] = stored.hpas
    .filter(({ spec: { metrics = [] } }) =>
      metrics.some(({ external }) => readers.includes(external?.metric.name ?? "")),
    )
    .map((hpa) => ({ periodSeconds: ownPeriodSeconds(hpa) ?? Infinity, of: called(hpa) }))
    .sort((one, other) => one.periodSeconds - other.periodSeconds);
  const ofCluster = { periodSeconds, of: "the cluster" };
  const period = fastest !== undefined && fastest.periodSeconds < periodSeconds ? fastest : ofCluster;
  const own = timeoutsIn(spec).flatMap(({ path, seconds }) => tooLong(`spec.parameters.${path}`, seconds, period));
  if (period === ofCluster || own.length > 0) return own;
  // A new operand of a formula may be too slow for an HPA that reads the formula.
  const ofOperands = operandsIn(spec).map(({ source }) => longestOf(known.entries.get(String(source))));
  return tooLong("spec.parameters.operands", Math.max(...ofOperands), period);
}

function readsSource(spec: unknown, name: string): boolean {
  return operandsIn(spec).some(({ source }) => source === name);
}

function longestOf(spec: unknown): number {
  return Math.max(...timeoutsIn(spec).map(({ seconds }) => seconds));
}

function called({ metadata: { namespace, name } }: HorizontalPodAutoscaler): string {
  return `HPA ${namespace ?? "default"}/${name}`;
}

/** A source's own time-out is its entry's fault, unless this HPA has a shorter period than the cluster. */
function hpaErrors(
  hpa: HorizontalPodAutoscaler,
  { known, periodSeconds = periodIn({}) }: Around,
): readonly FieldError[] {
  const own = ownPeriodSeconds(hpa) ?? Infinity;
  const isOwn = own < periodSeconds;
  const period = { periodSeconds: Math.min(own, periodSeconds), of: isOwn ? "the HPA" : "the cluster" };
  const labels = labelsOf(hpa);
  const ofSources = (hpa.spec.metrics ?? []).flatMap(({ external }, index) => {
    const at = metricPath(index);
    if (!isOwn || external === undefined || labels.some(({ path }) => path.startsWith(at))) return [];
    const spec = known.entries.get(external.metric.name);
    const ofOperands = operandsIn(spec).map(({ source }) => known.entries.get(String(source)));
    return tooLong(`${at}.name`, Math.max(...[spec, ...ofOperands].map(longestOf)), period);
  });
  return [...labels.flatMap(({ path, seconds }) => tooLong(path, seconds, period)), ...ofSources];
}

function metricPath(index: number): string {
  return `spec.metrics[${index}].external.metric`;
}

/** Labels override a source's own time-out. */
function labelsOf({ spec: { metrics = [] } }: HorizontalPodAutoscaler) {
  return metrics.flatMap(({ external }, index) => {
    const label = external?.metric.selector?.matchLabels?.["timeoutSeconds"];
    return label === undefined
      ? []
      : [{ path: `${metricPath(index)}.selector.matchLabels.timeoutSeconds`, seconds: Number(label) }];
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
  readonly of: string;
}

const why = "a source that hangs would keep its HPA from deciding";

/** No number is not too long: another check refuses it. */
function tooLong(path: string, seconds: number, { periodSeconds, of }: Period): readonly FieldError[] {
  const most = periodSeconds / 2;
  if (!(seconds > most)) return [];
  const limit = `half of ${of}'s sync period of ${periodSeconds} s`;
  return [{ path, text: `${path}: expected timeoutSeconds of at most ${most}, ${limit}, got ${seconds}: ${why}` }];
}
