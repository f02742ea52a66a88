import { answerHistory, rangeOf } from "../../../cli/look/dashboard/answer-history";
import { answerMoment } from "../../../cli/look/dashboard/answers";
import { openHistoryReader, storeOn } from "../../../compose";
import { hourMs, minuteMs } from "../../../lib/k8s/time";
import type { HistoryAnswer } from "../../../lib/read/page/answers";
import { openEntries } from "../../../lib/table/entries";
import type { Table } from "../../../lib/table/reads";
import { at, noon } from "../../core/build";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { plainCaller } from "../advice/plain-caller";
import { type Recorded, recordFleet } from "../../web/recorded-fleet";

const { signal } = new AbortController();
const hpaOf = (name: string, kind: Recorded["kind"]): Recorded => ({ cluster: "prod", namespace: "shop", name, kind });
const fleet = [hpaOf("web", "held"), hpaOf("idle", "atZero"), hpaOf("tried", "dryRun")];
let table: Table;
let bare: Table;

beforeAll(async () => {
  table = { client: memoryDynamodb(), name: memoryTableName };
  bare = { client: memoryDynamodb(), name: memoryTableName };
  await recordFleet(table, fleet, signal, 24 * 60);
  await recordFleet(bare, fleet, signal);
});

function contextOn(one: Table) {
  const now = () => at(10);
  return {
    ...{ store: storeOn(one, { now }), history: openHistoryReader(one, now), now },
    ...{ entries: openEntries(one), callerFor: () => Promise.resolve(plainCaller) },
  };
}

async function ask(name: string, range: string, one = table): Promise<HistoryAnswer> {
  const found = await answerHistory(contextOn(one), { cluster: "prod", namespace: "shop", name, range }, signal);
  if (found === undefined) throw new Error(`expected a history of ${name}`);
  return found;
}

test("the last hour: what was decided, in equal parts, until the last slot that looked", async () => {
  const answer = await ask("web", "1h");
  const { since, until, known, parts, replicas, metrics, shades } = answer;
  expect([since, until, known, parts]).toEqual([at(10) - hourMs, at(10), noon, 360]);
  const columns = [...Object.values(replicas), ...metrics.flatMap(({ target, mean }) => [target, mean])];
  expect(columns.map(({ length }) => length)).toEqual(columns.map(() => 360));
  const last = (column: readonly (number | null)[]) => column.findLast((value) => value !== null);
  expect([last(replicas.current), last(replicas.recommended), last(replicas.stabilized)]).toEqual([8, 2, 8]);
  expect([last(replicas.min), last(replicas.max)]).toEqual([1, 10]);
  expect(metrics[0]).toMatchObject({ label: "queue", unit: " a pod", tolerance: { up: 0.1, down: 0.1 } });
  const window = shades.find(({ by }) => by === "stabilization");
  expect(window).toMatchObject({ label: "stabilization window", tone: "keeps" });
  expect(window?.spans.at(-1)?.[1]).toBe(noon);
});

test("a time in which no slot ran is unknown, and neither zero nor what was before", async () => {
  // The deployment's slots stop 316 minutes before noon, for 16 minutes.
  const range = [noon - 320 * minuteMs, noon - 290 * minuteMs].map((one) => new Date(one).toISOString()).join("/");
  const { replicas, shades } = await ask("web", range);
  const isUnknown = replicas.current.map((value) => value === null);
  expect(isUnknown.filter(Boolean)).toHaveLength(16 * 12);
  expect(isUnknown.slice(4 * 12, 20 * 12)).not.toContain(false);
  for (const { spans } of shades) for (const [from, to] of spans) expect(to).toBeGreaterThan(from);
});

test("what held a size is as long as it was, and not as the parts of a long time", async () => {
  const hour = await ask("web", "1h");
  const msOf = ({ shades }: HistoryAnswer) => shades.find(({ by }) => by === "stabilization")?.ms ?? 0;
  const day = await ask("web", `${new Date(noon - hourMs).toISOString()}/${new Date(noon).toISOString()}`);
  expect(msOf(day) % minuteMs).toBe(0);
  expect(Math.abs(msOf(day) - msOf(hour))).toBeLessThanOrEqual(minuteMs);
});

test("a dry run has what it would have done beside what happened", async () => {
  const { replicas, shades } = await ask("tried", "1h");
  expect(shades.map(({ by }) => by)).toContain("dryRun");
  expect(replicas.desired.some((value, index) => value !== null && value !== replicas.current[index])).toBe(true);
});

test("without a history, the last decision is all that is known", async () => {
  const { isKept, replicas, known } = await ask("web", "1h", bare);
  expect([isKept, known]).toEqual([false, noon]);
  expect(new Set(replicas.current)).toEqual(new Set([null]));
});

test("an HPA that is not there has none", async () => {
  const asked = { cluster: "prod", namespace: "shop", name: "nobody", range: "1h" };
  expect(await answerHistory(contextOn(table), asked, signal)).toBeUndefined();
});

test("a moment has the words of explain, with the command that prints them", async () => {
  const then = new Date(at(5)).toISOString();
  const asked = { cluster: "prod", namespace: "shop", name: "web", at: then };
  const found = await answerMoment(contextOn(table), asked, signal);
  expect(found?.explained.summary).toContain("stayed at 8 replicas, though the metrics asked for 2");
  expect(found?.explained.sections.map(({ label }) => label)).toEqual(["read", "held"]);
  expect(found?.command).toBe(`ebb explain hpa web --at ${then} -n shop --cluster prod`);
  const before = { ...asked, at: "2020-01-01T00:00:00Z" };
  expect(await answerMoment(contextOn(table), before, signal)).toBeUndefined();
});

test.each(["soon", "", "1h/2h", "2026-03-01T11:00:00Z/2026-03-01T11:00:00Z", "2026-03-02T00:00:00Z"])(
  "%j is no time that charts can show",
  (text) => {
    expect(() => rangeOf(text, noon)).toThrow(/expected a time such as 03:00/);
  },
);

test("a range ends now at the latest, and has an end to its length", () => {
  expect(rangeOf("2026-03-01T11:00:00Z/2027-01-01T00:00:00Z", noon)).toEqual({ since: noon - hourMs, until: noon });
  expect(rangeOf("2000-01-01T00:00:00Z", noon).since).toBe(noon - 100 * 24 * hourMs);
});
