import { asHpaKey } from "../../lib/model/hpa-key";
import type { ZeroWaits } from "../../lib/model/stored/idle";
import { mostWaits, openWaits } from "../../lib/poller/wakes";
import type { ZeroId } from "../../lib/poller/polled-queries";

const start = Date.parse("2026-11-10T12:00:00Z");
const minuteMs = 60_000;
const zero = (name: string): ZeroId => ({ cluster: "prod", key: asHpaKey(`shop/${name}`), since: "s" });

/** Seconds in which one zero is woken, found each second by one poller after another. */
function woken(seconds: number, { from = 0, known = undefined as ZeroWaits | undefined, name = "a" } = {}) {
  const moments: number[] = [];
  let waits = openWaits(known, start + from * 1_000);
  for (let second = from; second < from + seconds; second++) {
    const at = start + second * 1_000;
    if (second % 60 === 0 && second > from) waits = openWaits(waits.left(at), at);
    if (!waits.take(zero(name), at)) continue;
    moments.push(second);
    waits.begin([zero(name)], at);
  }
  return { moments, left: waits.left(start + (from + seconds) * 1_000) };
}

test("waits grow to a minute, whoever watches", () => {
  expect(woken(300).moments).toEqual([0, 5, 15, 35, 75, 135, 195, 255]);
});

test("one that had no work for ten minutes begins with the first wait again", () => {
  const { left } = woken(120);
  expect(woken(20, { from: 300, known: left }).moments).toEqual([300]);
  const quiet = openWaits(left, start + 15 * minuteMs).left(start + 15 * minuteMs);
  expect(quiet).toBeUndefined();
  expect(woken(20, { from: 900, known: quiet }).moments).toEqual([900, 905, 915]);
});

test("a zero that has ended, and one whose wake was not sent, leave nothing", () => {
  const waits = openWaits(undefined, start);
  for (const name of ["a", "b", "c"]) waits.take(zero(name), start);
  waits.begin([zero("a"), zero("b")], start);
  waits.end([zero("a")]);
  waits.forget([zero("c")]);
  expect(Object.values(waits.left(start)?.zeros ?? {})).toEqual([{ until: start + 4_500, waitMs: 5_000 }]);
});

test("a wake that is on its way counts as sent when its poller ends", () => {
  const waits = openWaits(undefined, start);
  waits.take(zero("a"), start);
  expect(Object.values(waits.left(start)?.zeros ?? {})).toEqual([{ until: start + 5_000, waitMs: 5_000 }]);
});

test("another zero of the same HPA is another one", () => {
  const waits = openWaits(undefined, start);
  expect(waits.take(zero("a"), start)).toBe(true);
  expect(waits.take({ ...zero("a"), since: "later" }, start)).toBe(true);
  expect(waits.take(zero("a"), start)).toBe(false);
});

test("what a clock that was wrong has left keeps nobody asleep for longer than a minute", () => {
  const known = woken(10).left;
  const far = Object.keys(known?.zeros ?? {}).map((id) => [id, { until: start + 9e9, waitMs: 9e9 }] as const);
  const waits = openWaits({ zeros: Object.fromEntries(far) }, start);
  expect(Object.values(waits.left(start)?.zeros ?? {})).toEqual([{ until: start + minuteMs, waitMs: minuteMs }]);
  expect(waits.take(zero("a"), start + minuteMs - 1)).toBe(false);
  expect(waits.take(zero("a"), start + minuteMs)).toBe(true);
});

test("of 1,000 zeros that no wake ends, 200 are kept, and each of the others is woken once a minute as well", () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `h${index}`);
  let known: ZeroWaits | undefined;
  let sent = 0;
  for (let minute = 0; minute < 7; minute++) {
    const waits = openWaits(known, start + minute * minuteMs);
    sent = 0;
    for (let second = 0; second < 60; second += 5) {
      const at = start + minute * minuteMs + second * 1_000;
      const due = names.map(zero).filter((each) => waits.take(each, at));
      waits.begin(due, at);
      sent += due.length;
    }
    known = waits.left(start + (minute + 1) * minuteMs);
  }
  expect(sent).toBeLessThanOrEqual(names.length);
  expect(Object.keys(known?.zeros ?? {})).toHaveLength(mostWaits);
  expect(known?.more).toBe(true);
  expect(JSON.stringify(known).length).toBeLessThan(15_000);
});

test("of more than 200, those that wait longest are kept, and of equal waits those that end last", () => {
  const waits = openWaits(undefined, start);
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => zero(`${prefix}${index}`));
  const [late, early, long] = [names("late", 100), names("early", 100), names("long", 150)];
  const begin = (zeros: readonly ZeroId[], at: number) => {
    for (const each of zeros) waits.take(each, at);
    waits.begin(zeros, at);
  };
  begin(long, start);
  begin(early, start + 4_000);
  begin(long, start + 5_000);
  begin(late, start + 6_000);
  const left = waits.left(start + 6_000);
  const kept = Object.values(left?.zeros ?? {}).map(({ until, waitMs }) => [until - start, waitMs]);
  expect(kept.slice(0, 150)).toEqual(Array(150).fill([14_500, 10_000]));
  expect(kept.slice(150)).toEqual(Array(50).fill([10_500, 5_000]));
  expect(left?.more).toBe(true);
});

test("a team with 1,000 zeros that no wake ends takes no wait from its neighbour, and slows none of its wakes", () => {
  const crowd = Array.from({ length: 1_000 }, (_, index): ZeroId => {
    return { cluster: "prod", key: asHpaKey(`crowd/h${index}`), since: "s" };
  });
  const own = ["a", "b", "c"].map(zero);
  const waits = openWaits(undefined, start);
  for (const each of [...crowd, ...own]) waits.take(each, start);
  waits.begin([...crowd, ...own], start);
  for (const each of crowd) waits.take(each, start + 5_000);
  waits.begin(crowd, start + 5_000);
  const known = waits.left(start + 6_000);
  expect(Object.keys(known?.zeros ?? {})).toHaveLength(mostWaits);
  expect(known?.beyond).toHaveLength(1);

  const next = openWaits(known, start + 6_000);
  // The neighbour's waits are known, so the second is twice as long as the first. A new zero begins with the first.
  const fresh = zero("fresh");
  expect([...own, fresh].map((each) => next.take(each, start + 6_000))).toEqual([true, true, true, true]);
  next.begin([...own, fresh], start + 6_000);
  expect(next.take(fresh, start + 11_000)).toBe(true);
  expect(next.take(own[0]!, start + 11_000)).toBe(false);
  expect(next.take(own[0]!, start + 16_000)).toBe(true);
  // Of the crowd, one that is not known waits for a minute.
  const unknown = crowd.filter((each) => next.take(each, start + 6_000));
  expect(unknown).toHaveLength(1_000 + own.length - mostWaits);
  next.begin(unknown, start + 6_000);
  expect(unknown.some((each) => next.take(each, start + 60_000))).toBe(false);
});

test("where more than 50 namespaces have zeros beyond their shares, all others wait for a minute", () => {
  const many = Array.from({ length: 51 }, (_, at) => [
    `n${at}/a`,
    `n${at}/b`,
    `n${at}/c`,
    `n${at}/d`,
    `n${at}/e`,
  ]).flat();
  const zeros = many.map((key): ZeroId => ({ cluster: "prod", key: asHpaKey(key), since: "s" }));
  const waits = openWaits(undefined, start);
  for (const each of zeros) waits.take(each, start);
  waits.begin(zeros, start);
  const left = waits.left(start);
  expect([Object.keys(left?.zeros ?? {}).length, left?.more, left?.beyond]).toEqual([mostWaits, true, undefined]);
});
