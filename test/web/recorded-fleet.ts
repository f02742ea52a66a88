import { dryRunAnnotation, pausedAnnotation } from "../../lib/model/entry/annotation-names";
import { busyAnnotation, spareBusyAnnotation } from "../../lib/model/entry/busy-rule";
import { asHpaKey, hpaKey } from "../../lib/model/hpa-key";
import type { Situation } from "../../lib/model/situation";
import { holdsKey } from "../../lib/model/stored/last-observed";
import type { Shard } from "../../lib/model/stored/shard";
import type { DecisionRecord, State } from "../../lib/model/stored/state";
import { toItem, type Item } from "../../lib/table/items/attributes";
import { encodeDecision, encodeState } from "../../lib/table/items/hpa-items";
import { encodeShard } from "../../lib/table/items/shard-item";
import type { Table } from "../../lib/table/reads";
import { putItems } from "../../lib/table/write-items";
import { shard, stateAfter } from "../cli/explain/explained";
import { at, external, hpaWith, noon, scaledToZero, scaleOf, situationWith } from "../core/build";
import { recordHistory } from "./recorded-history";

interface Kind {
  readonly situation: Partial<Situation>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const calm = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };
const idle = hpaWith({ minReplicas: 0 }, scaledToZero);

/** What one sync at noon left, by the state that the page shows. */
export const kinds = {
  atZero: { situation: { hpa: idle, scale: scaleOf(0), metrics: [external("0")] } },
  steady: { situation: {} },
  held: {
    situation: {
      scale: scaleOf(8),
      history: { ...calm, recommendations: [{ replicas: 8, since: at(-120), at: at(-60) }] },
    },
  },
  atMax: { situation: { scale: scaleOf(10), metrics: [external("500")] } },
  failing: { situation: { metrics: [{ error: "no answer from prometheus.example:9090" }] } },
  notOurZero: { situation: { hpa: hpaWith(), scale: scaleOf(0) } },
  paused: { situation: {}, annotations: { [pausedAnnotation]: "true" } },
  dryRun: { situation: { metrics: [external("60")] }, annotations: { [dryRunAnnotation]: "true" } },
  busy: {
    situation: {
      hpa: hpaWith({
        scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" },
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      }),
      scale: scaleOf(8),
      busy: { busy: 8, unknown: 0, idle: 0, notReady: 0, replicaSets: 1 },
    },
    annotations: { [busyAnnotation]: "metric: jobs", [spareBusyAnnotation]: "true" },
  },
} satisfies Readonly<Record<string, Kind>>;

export type RecordedKind = keyof typeof kinds;

/** Of twenty HPAs, as in a fleet at night. */
const shares: readonly RecordedKind[] = [
  ...Array<RecordedKind>(11).fill("atZero"),
  ...Array<RecordedKind>(4).fill("steady"),
  ...(["held", "held", "atMax", "dryRun", "paused"] as const),
];

export interface Recorded {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly kind: RecordedKind;
}

const teams = ["billing", "checkout", "mail", "media", "reports", "search", "shipping", "shop"];
const works = ["orders", "invoices", "thumbnails", "receipts", "exports", "webhooks", "digests", "imports", "labels"];

/** `count` HPAs; three of them fail, and two are at a zero of others. */
export function fleetOf(count: number, clusters: readonly string[] = ["prod"]): readonly Recorded[] {
  return Array.from({ length: count }, (_, index) => {
    const work = works[index % works.length] ?? "";
    const round = Math.floor(index / works.length);
    const odd: RecordedKind | undefined =
      index % Math.ceil(count / 3) === 1 ? "failing" : index % Math.ceil(count / 2) === 3 ? "notOurZero" : undefined;
    return {
      cluster: clusters[index % clusters.length] ?? "",
      namespace: teams[round % teams.length] ?? "",
      name: round < teams.length ? work : `${work}-${Math.floor(round / teams.length)}`,
      kind: odd ?? shares[(index * 7) % shares.length] ?? "steady",
    };
  });
}

const hpasOfShard = 1000;

/** Writes entries, states, decisions and shards as syncs at noon left them, and so many minutes of history. */
export async function recordFleet(
  table: Table,
  fleet: readonly Recorded[],
  signal: AbortSignal,
  minutes = 0,
): Promise<void> {
  const clusters = [...new Set(fleet.map(({ cluster }) => cluster))];
  const items = [
    ...clusters.flatMap((cluster) => [clusterItem(cluster), sourceItem(cluster)]),
    ...clusters.flatMap((cluster) => shardsOf(cluster, fleet).map(encodeShard)),
    ...fleet.flatMap(recordedItems),
  ];
  for (let from = 0; from < items.length; from += 25) await putItems(table, items.slice(from, from + 25), signal);
  if (minutes === 0) return;
  for (const one of clusters.flatMap((cluster) => shardsOf(cluster, fleet))) {
    const hpas = fleet.filter(
      ({ cluster, namespace, name }) => cluster === one.cluster && holdsKey(one, asHpaKey(hpaKey(namespace, name))),
    );
    await recordHistory(table, one, { hpas, minutes }, signal);
  }
}

function clusterItem(cluster: string): Item {
  const spec = { endpoint: "https://kubernetes.example", auth: { type: "token", secret: "ebb/prod" } };
  return toItem({ pk: `CLUSTER#${cluster}`, sk: "CLUSTER", spec });
}

function sourceItem(cluster: string): Item {
  const spec = { kind: "prometheus", parameters: { url: "https://prometheus.example:9090", query: "sum(waiting)" } };
  return toItem({ pk: `CLUSTER#${cluster}`, sk: "SOURCE#queue", spec });
}

function shardsOf(cluster: string, fleet: readonly Recorded[]): readonly Shard[] {
  const keys = fleet.filter((one) => one.cluster === cluster).map(({ namespace, name }) => hpaKey(namespace, name));
  const sorted = [...keys].sort();
  const starts = Array.from({ length: Math.ceil(sorted.length / hpasOfShard) }, (_, index) =>
    index === 0 ? "" : (sorted[index * hpasOfShard] ?? ""),
  );
  return starts.map((from, index) => ({
    ...{ ...shard, cluster, from, to: starts[index + 1] ?? null, entries: hpasOfShard },
  }));
}

const states = new Map<string, State>();

function stateOf({ kind, namespace }: Recorded): State {
  const id = `${kind} ${namespace}`;
  const known = states.get(id);
  if (known !== undefined) return known;
  const { situation, ...rest }: Kind = kinds[kind];
  const full = situationWith(situation);
  const hpa = { ...full.hpa, metadata: { ...full.hpa.metadata, namespace, ...("annotations" in rest && rest) } };
  const state = stateAfter({ ...full, hpa });
  const failing = kind === "failing" ? { failingSince: at(-300) } : {};
  const warning = kind === "failing" ? { warnings: [failedMetric(namespace)] } : {};
  const recorded = { at: at(-600), desiredReplicas: state.decision?.desiredReplicas ?? 0, limitedBy: [] };
  states.set(id, { ...state, ...failing, ...warning, recorded });
  return { ...state, ...failing, ...warning, recorded };
}

const failedMetric = (namespace: string) =>
  ({
    type: "Warning",
    reason: "FailedGetExternalMetric",
    message: `unable to get external metric ${namespace}/queue: no answer from prometheus.example:9090`,
  }) as const;

function recordedItems(one: Recorded): readonly Item[] {
  const { cluster, namespace, name, kind } = one;
  const key = asHpaKey(hpaKey(namespace, name));
  const { annotations, situation }: Kind = kinds[kind];
  const { spec } = situation.hpa ?? hpaWith();
  const metadata = { creationTimestamp: "2026-02-01T00:00:00Z", ...(annotations && { annotations }) };
  const target = { ...spec.scaleTargetRef, name };
  const state = stateOf(one);
  return [
    toItem({ pk: `CLUSTER#${cluster}`, sk: `HPA#${key}`, metadata, spec: { ...spec, scaleTargetRef: target } }),
    encodeState(cluster, key, state),
    ...(state.decision === undefined
      ? []
      : [encodeDecision(recordOf(kind, state, state.decision), { cluster, key, expiresAt: noon })]),
  ];
}

function recordOf(kind: RecordedKind, state: State, decision: NonNullable<State["decision"]>): DecisionRecord {
  const { from, desiredReplicas } = decision;
  const events = state.warnings ?? [];
  if (kind === "dryRun") return { ...decision, scaleTo: null, dryRun: true, events };
  return { ...decision, scaleTo: from === desiredReplicas ? null : desiredReplicas, events };
}
