import type { EpochMs } from "../k8s/time";
import { nameOf, namespaceOf } from "../model/hpa-key";
import { type HpaState, hpaStateNames, statesOf } from "../model/hpa-states";
import { conditionDigits, historyConditions, signsIn } from "../model/stored/history";
import type { Shard } from "../model/stored/shard";
import { type CounterFamily, counterFamilies } from "./counter-families";
import type { Fleet, FleetHpa } from "./fleet";

/** As they are in the text: `a="1",b="2"`. */
type LabelText = string;
type Sample = readonly [labels: LabelText, value: number];

interface FamilyOf<T> {
  readonly name: string;
  readonly help: string;
  readonly samples: (one: T) => readonly Sample[];
}

export type ExpositionFormat = "openmetrics" | "prometheus";

/** In chunks: 10,000 HPAs are 30 MB. */
export function* expositionOf(fleet: Fleet, now: EpochMs, format: ExpositionFormat): Generator<string> {
  const named = fleet.hpas.filter(({ spec }) => spec.invalid !== true && spec.off !== true);
  // Once, and not once for each of a dozen families.
  const labels = named.map(kubeLabels);
  const labelsAt = (_: FleetHpa, index: number) => labels[index] ?? "";
  for (const family of kubeFamilies) yield* rendered(family, named, labelsAt);
  for (const family of controllerFamilies) yield* rendered(family, named, controllerLabels);
  yield* rendered(hpasOfClusters, [...countByCluster(named)], clusterLabels);
  for (const family of ownFamilies) yield* rendered(family, named, labelsAt);
  for (const family of shardFamilies(now)) yield* rendered(family, fleet.shards, shardLabels);
  for (const family of counterFamilies) yield counted(family, fleet.shards, format);
  if (format === "openmetrics") yield "# EOF\n";
}

/** OpenMetrics names a counter's family without `_total`. */
function counted({ name, help, type, samples }: CounterFamily, shards: readonly Shard[], format: ExpositionFormat) {
  const family = type === "counter" && format === "prometheus" ? `${name}_total` : name;
  const lines = shards.flatMap((shard) =>
    samples(shard).map(([suffix, labels, value]) => {
      const all = [labelText(labels), shardLabels(shard)].filter(Boolean).join();
      return `${name}${suffix}{${all}} ${numberText(value)}\n`;
    }),
  );
  return `# HELP ${family} ${help}\n# TYPE ${family} ${type}\n${lines.join("")}`;
}

const atATime = 100;

type LabelsOf<T> = (one: T, index: number) => LabelText;

function* rendered<T>({ name, help, samples }: FamilyOf<T>, all: readonly T[], labelsOf: LabelsOf<T>) {
  yield `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
  for (let start = 0; start < all.length; start += atATime) {
    let text = "";
    all.slice(start, start + atATime).forEach((one, index) => {
      const found = samples(one);
      if (found.length === 0) return;
      const begin = `${name}{${labelsOf(one, start + index)}`;
      for (const [own, value] of found) text += `${begin}${own === "" ? "" : `,${own}`}} ${numberText(value)}\n`;
    });
    if (text !== "") yield text;
  }
}

function labelText(labels: Readonly<Record<string, string>>): LabelText {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join();
}

function escaped(text: string): string {
  return /[\\"\n]/.test(text) ? text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`)) : text;
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";
}

const kubeLabels = ({ cluster, key }: FleetHpa) =>
  labelText({ namespace: namespaceOf(key), horizontalpodautoscaler: nameOf(key), cluster });
const controllerLabels = ({ cluster, key }: FleetHpa) =>
  labelText({ namespace: namespaceOf(key), hpa_name: nameOf(key), cluster });
const clusterLabels = ([cluster]: readonly [string, number]) => labelText({ cluster });
const shardLabels = ({ cluster, from }: Shard) => labelText({ cluster, shard: from });

const known = (value: number | null | undefined, labels: LabelText = ""): readonly Sample[] =>
  value === null || value === undefined ? [] : [[labels, value]];

const targetTypes = { percent: "utilization", average: "average", value: "value" } as const;

const metricLabels = ({ name, container = "" }: FleetHpa["spec"]["metrics"][number], type: string) =>
  labelText({ metric_name: name, metric_target_type: type, container });

/** Upstream: kube-state-metrics 2.19, internal/store/horizontalpodautoscaler.go. */
const kubeFamilies: readonly FamilyOf<FleetHpa>[] = [
  {
    name: "kube_horizontalpodautoscaler_info",
    help: "Information about this autoscaler.",
    samples: ({ spec: { target } }) => {
      const version = target.apiVersion === undefined ? {} : { scaletargetref_api_version: target.apiVersion };
      return known(1, labelText({ ...version, scaletargetref_kind: target.kind, scaletargetref_name: target.name }));
    },
  },
  {
    name: "kube_horizontalpodautoscaler_metadata_generation",
    help: "The generation of the autoscaler's entry.",
    samples: ({ spec }) => known(spec.generation),
  },
  {
    name: "kube_horizontalpodautoscaler_spec_max_replicas",
    help: "Upper limit for the replicas.",
    samples: ({ spec }) => known(spec.maxReplicas),
  },
  {
    name: "kube_horizontalpodautoscaler_spec_min_replicas",
    help: "Lower limit for the replicas.",
    samples: ({ spec }) => known(spec.minReplicas),
  },
  {
    name: "kube_horizontalpodautoscaler_spec_target_metric",
    help: "The target of each metric.",
    samples: ({ spec }) =>
      spec.metrics.map((metric) => [metricLabels(metric, targetTypes[metric.unit]), metric.target] as const),
  },
  {
    name: "kube_horizontalpodautoscaler_status_target_metric",
    help: "The current value of each metric that could be read.",
    samples: ({ spec, sample }) =>
      spec.metrics.flatMap((metric, index) => {
        const { value = null, averageValue = null } = sample?.metrics[index] ?? {};
        const own = known(value, metricLabels(metric, targetTypes[metric.unit]));
        return [...own, ...known(averageValue, metricLabels(metric, "average"))];
      }),
  },
  {
    name: "kube_horizontalpodautoscaler_status_current_replicas",
    help: "The current number of replicas.",
    samples: ({ sample }) => known(sample?.current),
  },
  {
    name: "kube_horizontalpodautoscaler_status_desired_replicas",
    help: "The number of replicas that the autoscaler wants.",
    samples: ({ sample }) => known(sample?.desired),
  },
  {
    name: "kube_horizontalpodautoscaler_status_condition",
    help: "The conditions of the autoscaler.",
    samples: ({ sample }) => (sample === null ? [] : conditionSamples(sample.conditions)),
  },
  {
    name: "kube_horizontalpodautoscaler_created",
    help: "When the entry was created, as Unix time.",
    samples: ({ spec }) => known(spec.created === undefined ? undefined : spec.created / 1_000),
  },
];

const conditionLabels = historyConditions.map((condition) =>
  conditionDigits.slice(1).map((status) => labelText({ condition, status: status.toLowerCase() })),
);

function conditionSamples(conditions: number): readonly Sample[] {
  return conditionLabels.flatMap((ofStatuses, index) => {
    const digit = Math.floor(conditions / conditionDigits.length ** index) % conditionDigits.length;
    return digit === 0 ? [] : ofStatuses.map((labels, at): Sample => [labels, at + 1 === digit ? 1 : 0]);
  });
}

/** Upstream: pkg/controller/podautoscaler/monitor. */
const controllerFamilies: readonly FamilyOf<FleetHpa>[] = [
  {
    name: "horizontal_pod_autoscaler_controller_desired_replicas",
    help: "The number of replicas that the autoscaler wants.",
    samples: ({ sample }) => known(sample?.desired),
  },
];

const hpasOfClusters: FamilyOf<readonly [string, number]> = {
  name: "horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers",
  help: "The number of autoscalers.",
  samples: ([, count]) => known(count),
};

function countByCluster(hpas: readonly FleetHpa[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { cluster } of hpas) counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
  return counts;
}

const states = hpaStateNames
  .filter((state) => state !== "waiting")
  .map((state) => ({ state, labels: labelText({ state }) }));

const ownFamilies: readonly FamilyOf<FleetHpa>[] = [
  {
    name: "ebb_hpa_held",
    help: "What holds the size of the autoscaler.",
    samples: ({ sample }) => (sample === null ? [] : signsIn(sample).holds.map((by) => [labelText({ by }), 1])),
  },
  {
    name: "ebb_hpa_state",
    help: "States of the autoscaler, by the words of lists and of the page.",
    samples: ({ sample }) => {
      if (sample === null) return [];
      const found: readonly HpaState[] = statesOf(signsIn(sample));
      return states.map(({ state, labels }) => [labels, found.includes(state) ? 1 : 0]);
    },
  },
];

const shardFamilies = (now: EpochMs): readonly FamilyOf<Shard>[] => [
  {
    name: "ebb_shard_hpas",
    help: "The number of autoscalers of a shard.",
    samples: ({ entries }) => known(entries),
  },
  {
    name: "ebb_shard_slot_age_seconds",
    help: "The time since the begin of the last slot that a shard has finished.",
    samples: ({ slot }) => (slot === 0 ? [] : known(Math.max(0, now - slot) / 1_000)),
  },
];
