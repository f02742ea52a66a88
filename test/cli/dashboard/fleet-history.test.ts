import { type FleetHistory, fleetHistory } from "../../../cli/look/dashboard/fleet-history";
import { openHistoryReader, storeOn } from "../../../compose";
import { hourMs, minuteMs } from "../../../lib/k8s/time";
import { asHpaKey, hpaKey } from "../../../lib/model/hpa-key";
import { flagsIn } from "../../../lib/model/stored/history";
import type { HistoryReader } from "../../../lib/model/ports/history";
import type { Shard } from "../../../lib/model/stored/shard";
import { at, noon } from "../../core/build";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { fleetOf, type Recorded, recordFleet } from "../../web/recorded-fleet";
import { samplesOfHpa } from "../../web/recorded-history";

const { signal } = new AbortController();
const minutes = 30 * 60;
const fleet = fleetOf(30, ["prod", "test"]);
const table = { client: memoryDynamodb(), name: memoryTableName };
let now = at(10);
let shards: readonly Shard[];
let reader: HistoryReader;

beforeAll(async () => {
  await recordFleet(table, fleet, signal, minutes);
  shards = await storeOn(table, { now: () => now }).shards(signal);
});
beforeEach(() => {
  now = at(10);
  reader = openHistoryReader(table, () => now);
});

async function readAll(history: FleetHistory): Promise<void> {
  for (const shard of shards) await history.read(shard, signal);
  await history.countBlocks(signal);
}

/** Of the month that began twelve hours ago, minute by minute. */
function zeroMinutes(hpa: Recorded): number {
  const since = samplesOfHpa(hpa, minutes).slice(-12 * 60);
  return since.filter((sample) => {
    const flags = flagsIn(sample?.flags ?? 0);
    return sample?.current === 0 && !flags.includes("dryRun") && !flags.includes("notOurZero");
  }).length;
}

test("each minute at zero since the month began counts once, whether in a block or not", async () => {
  const history = fleetHistory(reader, () => now, 0.04);
  expect(history.saved()).toBeUndefined();
  await readAll(history);
  const expected = fleet.reduce((sum, hpa) => sum + zeroMinutes(hpa), 0);
  const saved = history.saved();
  expect(expected).toBeGreaterThan(1_000);
  expect((saved?.month ?? 0) * 60).toBeCloseTo(expected, 6);
  expect(saved).toMatchObject({ today: saved?.month, since: noon - 12 * hourMs, dollarsPerHour: 0.04 });
});

test("what was counted is not counted again, and a minute later nothing more is known", async () => {
  const history = fleetHistory(reader, () => now, 0.04);
  await readAll(history);
  const before = history.saved();
  now += 61_000;
  await readAll(history);
  expect(history.saved()).toEqual(before);
});

test("a slot that looked adds its time, of those at zero", async () => {
  const history = fleetHistory(reader, () => now, 0.04);
  await readAll(history);
  const before = history.saved()?.month ?? 0;
  now += 10 * minuteMs;
  const later = shards.map((shard) => ({ ...shard, history: { ...shard.history, seen: now } }) as Shard);
  for (const shard of later) await history.read(shard, signal);
  const atZero = fleet.filter((hpa) => samplesOfHpa(hpa, minutes).at(-1)?.current === 0 && zeroMinutes(hpa) > 0);
  expect(((history.saved()?.month ?? 0) - before) * 60).toBeCloseTo((atZero.length * (now - noon)) / minuteMs, 6);
});

test("a table that fails half-way is read from the start, and says no number until then", async () => {
  let fails = true;
  const blocks: HistoryReader["blocks"] = (...asked) =>
    fails ? Promise.reject(new Error("throttled")) : reader.blocks(...asked);
  const history = fleetHistory({ ...reader, blocks }, () => now, 0.04);
  await expect(readAll(history)).rejects.toThrow("throttled");
  expect(history.saved()).toBeUndefined();
  fails = false;
  await readAll(history);
  const whole = fleetHistory(reader, () => now, 0.04);
  await readAll(whole);
  expect(history.saved()).toEqual(whole.saved());
});

test("the last hour has each change of size, and is the same until one follows", async () => {
  const history = fleetHistory(reader, () => now, 0.04);
  await readAll(history);
  const recents = fleet.map(({ cluster, namespace, name }) =>
    history.recentOf(cluster, asHpaKey(hpaKey(namespace, name))),
  );
  fleet.forEach((hpa, index) => {
    const recent = recents[index] ?? [];
    const sizes = samplesOfHpa(hpa, minutes).map((sample) => sample?.current ?? null);
    recent.forEach(([changed, size]) => expect(sizes[minutes - (noon - changed) / minuteMs]).toBe(size));
    expect(recent.at(-1)?.[1]).toBe(sizes.at(-1));
    expect(recent.filter(([changed]) => changed <= now - hourMs).length).toBeLessThanOrEqual(1);
  });
  now += 61_000;
  await readAll(history);
  const later = history.recentOf("prod", asHpaKey("billing/orders"));
  expect(later).toBe(recents[0]);
});

test("of a shard whose slots keep no history, nothing is known", async () => {
  const history = fleetHistory(reader, () => now, 0.04);
  const { history: _, ...bare } = shards[0] as Shard;
  expect(await history.read(bare, signal)).toBe(false);
  await history.countBlocks(signal);
  expect(history.saved()).toBeUndefined();
});
