import { answerSource, answerSourceHistory } from "../../../cli/look/dashboard/answer-source";
import { openHistoryReader, storeOn } from "../../../compose";
import { hourMs, minuteMs } from "../../../lib/k8s/time";
import type { HistoryPoint, HistorySample } from "../../../lib/model/stored/history";
import type { HistoryReader } from "../../../lib/model/ports/history";
import type { SourceHistoryAnswer } from "../../../lib/read/page/answers";
import { openEntries } from "../../../lib/table/entries";
import type { Table } from "../../../lib/table/reads";
import { at, noon } from "../../core/build";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { plainCaller } from "../advice/plain-caller";
import { type Recorded, recordFleet } from "../../web/recorded-fleet";
import { recordedSpec } from "../../web/recorded-history";

const { signal } = new AbortController();
const hpaOf = (name: string, kind: Recorded["kind"]): Recorded => ({ cluster: "prod", namespace: "shop", name, kind });
const fleet = [hpaOf("web", "held"), hpaOf("mail", "failing"), hpaOf("bills", "failing"), hpaOf("idle", "atZero")];
let table: Table;

beforeAll(async () => {
  table = { client: memoryDynamodb(), name: memoryTableName };
  await recordFleet(table, fleet, signal, 24 * 60);
});

function contextWith(history?: HistoryReader) {
  const now = () => at(10);
  return {
    ...{ store: storeOn(table, { now }), history: history ?? openHistoryReader(table, now), now },
    ...{ entries: openEntries(table), callerFor: () => Promise.resolve(plainCaller) },
  };
}

test("a source has its kind, the value that each HPA read, and each error with how many HPAs have it", async () => {
  const answer = await answerSource(contextWith(), { cluster: "prod", name: "queue" }, signal);
  expect(answer).toMatchObject({ kind: "prometheus", hpas: 4 });
  const text = "unable to fetch metrics from external metrics API: no answer from prometheus.example:9090";
  expect(answer.errors).toEqual([{ text, hpas: 2 }]);
  expect(answer.readings.map(({ name, value, error }) => [name, value ?? error])).toEqual(
    expect.arrayContaining([
      ["mail", text],
      ["web", "20"],
      ["idle", "0"],
    ]),
  );
  expect(answer.readings[0]?.error).toBeDefined();
});

const query = { cluster: "prod", name: "queue", metric: "queue", range: "1h" };

test("over time, its value is the total, although HPAs scale on the average of their pods", async () => {
  const { value, known, since, parts, shades } = await answerSourceHistory(
    contextWith(),
    { ...query, hpas: ["shop/web"] },
    signal,
  );
  expect([since, known, parts]).toEqual([at(10) - hourMs, noon, 360]);
  // In the last four minutes, two replicas' worth of work, ten each, wait for eight replicas.
  expect(value.mean.findLast((one) => one !== null)).toBe(20);
  expect(shades).toEqual([]);
});

test("what no HPA could read is unknown and shaded, and what another HPA knows is known", async () => {
  const alone = await answerSourceHistory(contextWith(), { ...query, hpas: ["shop/mail"] }, signal);
  expect(alone.value.mean.findLastIndex((one) => one !== null)).toBeLessThan(300);
  expect(alone.shades).toMatchObject([{ label: "not read", tone: "broken", ms: 11 * minuteMs }]);
  const both = await answerSourceHistory(contextWith(), { ...query, hpas: ["shop/mail", "shop/web"] }, signal);
  expect(both.shades).toEqual([]);
  expect(both.value.mean.findLast((one) => one !== null)).toBe(20);
});

/** Of each key the same points. */
function historyOf(points: readonly HistoryPoint[], read: string[] = []): HistoryReader {
  const real = openHistoryReader(table, () => at(10));
  const blocks: HistoryReader["blocks"] = ({ key }) => {
    read.push(key);
    return Promise.resolve(points);
  };
  return { ...real, blocks };
}

const sample = (average: number | null, given: Partial<HistorySample> = {}): HistorySample => ({
  ...{ current: 4, desired: 4, recommended: 4, stabilized: 4, flags: 0, conditions: 0 },
  metrics: [{ value: average, averageValue: null }],
  ...given,
});
const early = { ...query, range: "2026-03-01T06:00:00Z/2026-03-01T07:00:00Z" };
const six = Date.UTC(2026, 2, 1, 6);
const point = (one: HistorySample | null, after = 0, spec = recordedSpec): HistoryPoint => ({
  at: six + after,
  sample: one,
  spec,
});
const lastOf = ({ value }: SourceHistoryAnswer) => value.mean[359];

test.each<[string, HistoryPoint, number | null]>([
  ["four pods", point(sample(5)), 20],
  ["no pod and no work", point(sample(0, { current: 0, recommended: 0 })), 0],
  ["no pod, and work that no average shows", point(sample(0, { current: 0, recommended: 3 })), null],
  ["a size that is not known", point(sample(5, { current: null })), null],
  ["a value that is not known", point(sample(null)), null],
  ["another metric alone", point(sample(5), 0, { ...recordedSpec, metrics: [] }), null],
  [
    "a metric of pods by the same name",
    point(sample(5), 0, { ...recordedSpec, metrics: recordedSpec.metrics.map((one) => ({ ...one, type: "Pods" })) }),
    null,
  ],
])("%s", async (_, given, expected) => {
  const answer = await answerSourceHistory(contextWith(historyOf([given])), { ...early, hpas: ["shop/web"] }, signal);
  expect(lastOf(answer)).toBe(expected);
});

test("ten thousand HPAs of one query cost the history of one, and of three where some of it is unknown", async () => {
  const hpas = Array.from({ length: 10_000 }, (_, index) => `shop/web-${index}`);
  const one: string[] = [];
  await answerSourceHistory(contextWith(historyOf([point(sample(5))], one)), { ...early, hpas }, signal);
  expect(one).toEqual(["shop/web-0"]);
  const three: string[] = [];
  await answerSourceHistory(contextWith(historyOf([point(sample(5), minuteMs)], three)), { ...early, hpas }, signal);
  expect(three).toHaveLength(3);
});

test.each([[""], ["nobody"], ["../shop/web"], ["__proto__"]])("%j is an HPA that nothing is known of", async (key) => {
  const { value } = await answerSourceHistory(contextWith(), { ...query, hpas: [key] }, signal);
  expect(new Set(value.mean)).toEqual(new Set([null]));
});
