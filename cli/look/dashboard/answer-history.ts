import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { tolerancesOf } from "../../../lib/core/replica-math";
import { present } from "../../../lib/k8s/map";
import { type EpochMs, dayMs, minuteMs } from "../../../lib/k8s/time";
import { readOperations } from "../../../lib/model/entry/annotations";
import { type HpaName, keyNamed } from "../../../lib/model/hpa-key";
import type { HistoryReader } from "../../../lib/model/ports/history";
import {
  flagsIn,
  type HistoryFlag,
  historyFlags,
  type HistoryPoint,
  type MetricSample,
  type RosterHpa,
  type RosterMetric,
} from "../../../lib/model/stored/history";
import { decisionsSince, optionsOf } from "../../../lib/read/decisions";
import { bucketsOf, type HistoryBucket, type HpaSeries, readSeries, type Spread } from "../../../lib/read/history";
import { createdAtOf, type HpaFacts, lastSyncOf, readHpaFacts } from "../../../lib/read/hpa-facts";
import type { HistoryAnswer, HistoryMetric, HistoryShade, ShadeTone } from "../../../lib/read/page/answers";
import { rosterHpaOf, sampleOf } from "../../../lib/sync/history/sample";
import type { ReadEntry } from "../../../lib/sync/hpa/read-entry";
import { MomentError, pastMoment } from "../../understand/explain/explain-hpa";
import { wordOf, unitText } from "../../understand/history/chart";
import type { AnswerContext } from "./answers";

export interface HistoryContext extends Pick<AnswerContext, "store" | "now"> {
  readonly history: HistoryReader;
}

interface Range {
  readonly since: EpochMs;
  readonly until: EpochMs;
}

export const parts = 360;
const longestMs = 100 * dayMs;
const mostScalings = 300;

/** "6h", until now, or two moments: "2026-03-01T03:00:00Z/2026-03-01T04:00:00Z". @throws MomentError */
export function rangeOf(text: string, now: EpochMs): Range {
  const [from = "", to] = text.split("/");
  const until = Math.min(now, to === undefined ? now : pastMoment(to, now));
  const since = Math.max(pastMoment(from, now), until - longestMs);
  if (since >= until) throw new MomentError(text);
  return { since, until };
}

/** Undefined: no such HPA. Rejects with a Fault or a MomentError. */
export async function answerHistory(
  context: HistoryContext,
  { range: text, ...subject }: HpaName & { readonly range: string },
  signal: AbortSignal,
): Promise<HistoryAnswer | undefined> {
  const { store, now } = context;
  const range = rangeOf(text, now());
  const key = keyNamed(subject.namespace, subject.name);
  const { cluster } = subject;
  const facts = await readHpaFacts(store, subject, signal);
  if (facts === undefined) return undefined;
  const [series, decisions, logged] = await Promise.all([
    seriesWithState(context, { facts, range }, signal),
    decisionsSince(store, { cluster, key, ...range, most: mostScalings }, signal),
    store.events({ cluster, from: key, to: `${key}\0` }, signal),
  ]);
  const { since, until } = range;
  const spec = series.points.findLast((point) => point.spec !== undefined)?.spec;
  const buckets = bucketsOf(orderedAs(series, spec), { ...range, count: parts });
  return {
    ...{ since, until, known: Math.min(series.until, until), parts, isKept: series.isKept },
    ...columnsOf(facts, buckets, spec),
    shades: shadesOf(series, buckets, (until - since) / parts),
    scalings: decisions.flatMap(({ at, from, scaleTo }) =>
      scaleTo === null || scaleTo === from ? [] : [{ at, from, to: scaleTo }],
    ),
    events: logged.flatMap(({ events }) =>
      events.map(({ lastTimestamp: at, type, reason, message }) => ({ at, type, text: `${reason}: ${message}` })),
    ),
  };
}

interface Wanted {
  readonly facts: HpaFacts;
  readonly range: Range;
}

/** The history is up to a minute older than the state. */
export async function seriesWithState(
  { store, history, now }: HistoryContext,
  { facts, range }: Wanted,
  signal: AbortSignal,
): Promise<HpaSeries> {
  const key = keyNamed(facts.namespace, facts.name);
  const query = { cluster: facts.cluster.key, key, ...range, ...present({ created: createdAtOf(facts) }) };
  const series = await readSeries({ store, history }, query, signal);
  const { entry, state } = facts;
  const at = state?.decision?.at;
  if ("errors" in entry || state === undefined || at === undefined || at < range.since || at > range.until)
    return series;
  const last = series.points.at(-1);
  if (last !== undefined && at <= last.at) return series;
  const until = Math.min(range.until, Math.max(series.until, lastSyncOf(facts) ?? at));
  const read = readOf(entry.hpa);
  const isLost = last !== undefined && at > series.until + 2 * minuteMs;
  const gap: readonly HistoryPoint[] = isLost ? [{ at: series.until, sample: null }] : [];
  const point = { at, sample: sampleOf(state, read, now()), spec: rosterHpaOf(read) };
  return { ...series, points: [...series.points, ...gap, point], until };
}

function readOf(hpa: HorizontalPodAutoscaler): ReadEntry {
  const operations = readOperations(hpa.metadata);
  return "errors" in operations ? operations : { hpa, operations };
}

function columnsOf(
  facts: HpaFacts,
  buckets: readonly HistoryBucket[],
  spec: RosterHpa | undefined,
): Pick<HistoryAnswer, "replicas" | "metrics"> {
  const column = (of: (bucket: HistoryBucket) => number | undefined) => buckets.map((bucket) => of(bucket) ?? null);
  const hpa = "hpa" in facts.entry ? facts.entry.hpa : undefined;
  const tolerance = tolerancesOf(hpa?.spec.behavior, optionsOf(facts));
  return {
    replicas: {
      current: column(({ current }) => current?.max),
      recommended: column(({ recommended }) => recommended?.max),
      stabilized: column(({ stabilized }) => stabilized?.max),
      desired: column(({ desired }) => desired?.max),
      min: column((bucket) => bucket.spec?.minReplicas),
      max: column((bucket) => bucket.spec?.maxReplicas),
    },
    metrics: (spec?.metrics ?? []).map(({ label, unit }, index): HistoryMetric => {
      const ofPart = (name: keyof Spread) => column(({ metrics }) => metrics[index]?.[name]);
      return {
        ...{ label, unit: unitText[unit], tolerance },
        target: column((bucket) => bucket.spec?.metrics.find((one) => one.label === label)?.target),
        ...{ low: ofPart("min"), mean: ofPart("mean"), high: ofPart("max") },
      };
    }),
  };
}

/** An older spec may have other metrics. */
function orderedAs(series: HpaSeries, spec: RosterHpa | undefined): HpaSeries {
  if (spec === undefined) return series;
  const unread: MetricSample = { value: null, averageValue: null };
  const points = series.points.map((point): HistoryPoint => {
    const { sample, spec: own } = point;
    if (sample === null || own === undefined || own === spec) return point;
    const at = (wanted: RosterMetric) =>
      own.metrics.findIndex(({ label, unit }) => label === wanted.label && unit === wanted.unit);
    return { ...point, sample: { ...sample, metrics: spec.metrics.map((one) => sample.metrics[at(one)] ?? unread) } };
  });
  return { ...series, points };
}

export function shadesOf(series: HpaSeries, buckets: readonly HistoryBucket[], width: number): readonly HistoryShade[] {
  return historyFlags.flatMap((flag): readonly HistoryShade[] => {
    const spans: [EpochMs, EpochMs][] = [];
    for (const { start, flags } of buckets) {
      if (!flagsIn(flags).includes(flag)) continue;
      const last = spans.at(-1);
      const end = Math.min(start + width, series.until);
      if (last !== undefined && last[1] >= start) last[1] = end;
      else spans.push([start, end]);
    }
    const [by, label, tone] = [flag, wordOf(flag), tones[flag]];
    return spans.length === 0 ? [] : [{ by, label, tone, spans, ms: msOf(series, flag) }];
  });
}

function msOf({ points, until }: HpaSeries, flag: HistoryFlag): number {
  return points.reduce((sum, { at, sample }, index) => {
    if (sample === null || !flagsIn(sample.flags).includes(flag)) return sum;
    return sum + Math.max(0, Math.min(points[index + 1]?.at ?? until, until) - at);
  }, 0);
}

const tones: Readonly<Record<HistoryFlag, ShadeTone>> = {
  ...{ stabilization: "keeps", rate: "keeps", maxReplicas: "keeps", confirm: "keeps", cooldown: "keeps" },
  ...{ busy: "keeps", unknownMetric: "keeps", notOurZero: "keeps", failing: "broken", paused: "asked" },
  ...{ dryRun: "asked", minReplicas: "bounds", from: "bounds" },
};
