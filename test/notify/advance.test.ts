import type { NotifiedEntry } from "../../lib/model/ports/notified";
import type { Notified } from "../../lib/model/stored/notified";
import type { State } from "../../lib/model/stored/state";
import { advance, announceLasting, isDue, type Happening } from "../../lib/notify/advance";
import { mayMatter } from "../../lib/notify/lasting";
import type { NotifySettings } from "../../lib/notify/settings";
import {
  atMax,
  entry,
  failing,
  foreignZero,
  unknownMetric,
  minutes,
  noon,
  orders,
  ourZero,
  pausedState,
  settingsWith,
  stateAt,
} from "./states";

/** A day of one HPA: what each write of its state, and each minute of the schedule, announces. */
function story(given: { readonly entry?: NotifiedEntry | undefined; readonly settings?: NotifySettings } = {}) {
  const { settings = settingsWith() } = given;
  const known = { hpa: orders, entry: "entry" in given ? given.entry : entry };
  let notified: Notified | undefined;
  let state: State | undefined;
  const say = (occurred: readonly Happening[]) =>
    occurred.map(({ type, version, at }) => `${type} v${version} ${time(at)}`);
  const write = (before: State | undefined, after: State | undefined, at = after?.slot ?? noon) => {
    const advanced = advance({ ...known, notified }, { before, after }, { settings, now: at });
    notified = advanced.notified;
    return say(advanced.occurred);
  };
  return {
    /** The next write. */
    sync(after: State | undefined, at?: number) {
      const before = state;
      state = after;
      return write(before, after, at);
    },
    write,
    minute(at: number, entryNow = known.entry) {
      if (notified === undefined || !isDue(notified, { settings, now: at })) return [];
      const advanced = announceLasting({ ...known, entry: entryNow, notified }, state, { settings, now: at });
      notified = advanced.notified;
      return say(advanced.occurred);
    },
    lasting: () => Object.keys(notified?.lasting ?? {}),
    notified: () => notified,
  };
}

const time = (at: number) => new Date(at).toISOString().slice(11, 16);

test("at max is announced once, after ten minutes, as of then", () => {
  const day = story();
  expect(day.sync(stateAt(noon, 7))).toEqual([]);
  expect(day.sync(stateAt(noon, 8, atMax))).toEqual([]);
  expect(day.minute(noon + minutes(9))).toEqual([]);
  expect(day.minute(noon + minutes(11))).toEqual(["at-max v8 12:10"]);
  expect(day.minute(noon + minutes(12))).toEqual([]);
  expect(day.sync(stateAt(noon + minutes(20), 9))).toEqual([]);
  expect(day.lasting()).toEqual([]);
  expect(day.sync(stateAt(noon + minutes(30), 10, atMax))).toEqual([]);
  expect(day.minute(noon + minutes(40))).toEqual(["at-max v10 12:40"]);
});

test("a condition that ends before ten minutes leaves nothing behind", () => {
  const day = story();
  day.sync(stateAt(noon, 8, atMax));
  day.sync(stateAt(noon + minutes(5), 9));
  expect(day.lasting()).toEqual([]);
  expect(day.minute(noon + minutes(30))).toEqual([]);
});

test("a failure of a minute is announced, and so is its end; a shorter one is neither", () => {
  const day = story();
  day.sync(stateAt(noon, 1));
  expect(day.sync(stateAt(noon, 2, failing))).toEqual([]);
  expect(day.sync(stateAt(noon + 30_000, 3))).toEqual([]);
  expect(day.sync(stateAt(noon + minutes(1), 4, failing))).toEqual([]);
  expect(day.minute(noon + minutes(2))).toEqual(["failing v4 12:02"]);
  expect(day.sync(stateAt(noon + minutes(5), 5))).toEqual(["recovered v5 12:05"]);
  expect(day.sync(stateAt(noon + minutes(6), 6, failing))).toEqual([]);
  expect(day.minute(noon + minutes(8))).toEqual(["failing v6 12:07"]);
});

test("a metric that cannot be read fails after a minute, and holds after ten", () => {
  const day = story();
  day.sync(stateAt(noon, 2, unknownMetric));
  expect(day.minute(noon + minutes(1))).toEqual(["failing v2 12:01"]);
  expect(day.minute(noon + minutes(10))).toEqual(["unknown-metric v2 12:10"]);
});

test("scalings of ebb to and from zero are announced at once; other sizes and other hands are not", () => {
  const day = story();
  const scaledAt = "2026-03-01T12:00:00Z";
  day.sync(stateAt(noon, 1, { current: 2 }));
  expect(day.sync(stateAt(noon, 2, { ...ourZero, current: 2, desired: 0, scaledAt }))).toEqual([
    "scaled-to-zero v2 12:00",
  ]);
  expect(day.sync(stateAt(noon, 3, { ...ourZero, scaledAt }))).toEqual([]);
  const woken = { current: 0, desired: 3, scaledAt: "2026-03-01T12:05:00Z" };
  expect(day.sync(stateAt(noon + minutes(5), 4, woken))).toEqual(["scaled-from-zero v4 12:05"]);
  expect(day.sync(stateAt(noon + minutes(6), 5, { current: 3, scaledAt: "2026-03-01T12:06:00Z" }))).toEqual([]);
  expect(day.sync(stateAt(noon + minutes(7), 6, { ...foreignZero, scaledAt: "2026-03-01T12:06:00Z" }))).toEqual([]);
});

describe("a zero that did not wake", () => {
  const wanting = { ...ourZero, wants: 3 };

  test("is one whose size ebb could not raise for ten minutes", () => {
    const day = story();
    day.sync(stateAt(noon, 1, ourZero));
    day.sync(stateAt(noon, 2, wanting));
    expect(day.minute(noon + minutes(10))).toEqual(["not-woken v2 12:10"]);
  });

  test("is none while a wake takes its time", () => {
    const day = story();
    day.sync(stateAt(noon, 2, wanting));
    day.sync(stateAt(noon + minutes(1), 3, { current: 3 }));
    expect(day.lasting()).toEqual([]);
  });

  test("is one that is not ours, of an HPA that may go to zero", () => {
    const day = story();
    day.sync(stateAt(noon, 2, foreignZero));
    expect(day.minute(noon + minutes(10))).toEqual(["not-woken v2 12:10"]);
  });

  test.each([
    ["is the zero of a person where the HPA has none", { ...entry, minReplicas: 1 }, []],
    ["counts with ebb.dev/zero", { ...entry, minReplicas: 1, annotations: { "ebb.dev/zero": "{}" } }, ["not-woken"]],
    [
      "does not count with an ebb.dev/zero that cannot be read",
      { ...entry, minReplicas: 1, annotations: { "ebb.dev/zero": "7" } },
      [],
    ],
  ])("%s", (_, its, expected) => {
    const day = story({ entry: its });
    day.sync(stateAt(noon, 2, foreignZero));
    expect(day.lasting()).toEqual(expected);
  });

  test("a dry run wakes nothing", () => {
    const day = story({ entry: { ...entry, annotations: { "ebb.dev/dry-run": "true" } } });
    day.sync(stateAt(noon, 2, wanting));
    expect(day.lasting()).toEqual([]);
  });
});

describe("silence", () => {
  test("a paused HPA says nothing, and what waited is dropped", () => {
    const day = story();
    day.sync(stateAt(noon, 1, atMax));
    day.sync(stateAt(noon + minutes(1), 2, pausedState));
    expect(day.minute(noon + minutes(30))).toEqual([]);
    expect(day.lasting()).toEqual([]);
  });

  test("a failure that was announced before a pause may recover after it", () => {
    const day = story();
    day.sync(stateAt(noon, 1, failing));
    day.minute(noon + minutes(1));
    expect(day.sync(stateAt(noon + minutes(2), 2, pausedState))).toEqual([]);
    expect(day.sync(stateAt(noon + minutes(9), 3))).toEqual(["recovered v3 12:09"]);
  });

  test("an annotation that pauses counts before the next sync sees it", () => {
    const day = story();
    day.sync(stateAt(noon, 1, atMax));
    expect(day.minute(noon + minutes(10), { ...entry, annotations: { "ebb.dev/paused": "true" } })).toEqual([]);
    expect(day.minute(noon + minutes(11))).toEqual([]);
  });

  test.each([
    ["other labels", settingsWith({ labels: "team=mail" })],
    ["another type", settingsWith({ types: ["scaled-to-zero"] })],
  ])("%s are not wanted", (_, settings) => {
    const day = story({ settings });
    day.sync(stateAt(noon, 1, atMax));
    day.sync(stateAt(noon, 2, failing));
    expect(day.minute(noon + minutes(30))).toEqual([]);
    expect(day.notified()).toBeUndefined();
  });

  test("an end may be wanted without its beginning", () => {
    const day = story({ settings: settingsWith({ types: ["recovered"] }) });
    day.sync(stateAt(noon, 1, failing));
    expect(day.minute(noon + minutes(1))).toEqual([]);
    expect(day.sync(stateAt(noon + minutes(2), 2))).toEqual(["recovered v2 12:02"]);
  });

  test("an entry that is gone, and a state that is deleted, say nothing", () => {
    expect(story({ entry: undefined }).sync(stateAt(noon, 1, atMax))).toEqual([]);
    const day = story();
    day.sync(stateAt(noon, 1, atMax));
    expect(day.sync(undefined, noon + minutes(1))).toEqual([]);
    expect(day.lasting()).toEqual([]);
  });
});

describe("records that come again, late or not at all", () => {
  test("nothing is announced twice", () => {
    const settings = settingsWith({ afterMs: { failing: 0, "unknown-metric": 0, "at-max": 0, "not-woken": 0 } });
    const day = story({ settings });
    const [first, second] = [stateAt(noon, 1), stateAt(noon, 2, atMax)];
    expect(day.write(first, second)).toEqual(["at-max v2 12:00"]);
    expect(day.write(first, second)).toEqual([]);
    expect(day.write(undefined, first)).toEqual([]);
  });

  test("an older record after a newer one changes nothing", () => {
    const day = story();
    const states = [stateAt(noon, 1), stateAt(noon, 2, atMax), stateAt(noon, 3, failing)] as const;
    day.write(states[1], states[2]);
    expect(day.lasting()).toEqual(["failing"]);
    day.write(states[0], states[1]);
    expect(day.lasting()).toEqual(["failing"]);
  });

  test("a state that is created again counts, although versions start over every 24 days", () => {
    const day = story();
    day.sync(stateAt(noon, 2 ** 53 - 5, atMax));
    day.sync(undefined);
    day.write(undefined, stateAt(noon, 2 ** 32 + 1, atMax));
    expect(day.lasting()).toEqual(["at-max"]);
  });

  test("if the record of an end is lost, the next beginning counts again", () => {
    const day = story();
    day.write(undefined, stateAt(noon, 1, atMax));
    day.write(stateAt(noon + minutes(50), 4), stateAt(noon + minutes(60), 5, atMax));
    expect(day.notified()?.lasting).toEqual({ "at-max": { since: noon + minutes(60), state: 5 } });
  });

  test("a condition that ended unseen is not announced", () => {
    const day = story();
    day.sync(stateAt(noon, 1, atMax));
    const hidden = stateAt(noon + minutes(1), 2);
    const notified = day.notified();
    if (notified === undefined) throw new Error("expected an item");
    const context = { settings: settingsWith(), now: noon + minutes(20) };
    expect(announceLasting({ hpa: orders, entry, notified }, hidden, context)).toMatchObject({
      occurred: [],
      notified: { lasting: {} },
    });
    expect(announceLasting({ hpa: orders, entry, notified }, undefined, context)).toMatchObject({
      occurred: [],
      notified: { lasting: {} },
    });
  });
});

test("of the records of a day, few need an entry", () => {
  const matters = (before: Parameters<typeof stateAt>[2], after: Parameters<typeof stateAt>[2]) =>
    mayMatter(stateAt(noon, 1, before), stateAt(noon, 2, after), noon);
  expect(matters({}, { current: 5 })).toBe(false);
  expect(matters(atMax, { ...atMax, current: 9 })).toBe(false);
  expect(matters(failing, failing)).toBe(false);
  expect(matters({}, atMax)).toBe(true);
  expect(matters(failing, {})).toBe(true);
  expect(matters(atMax, { ...pausedState, current: 10 })).toBe(true);
  expect(mayMatter(stateAt(noon, 1), undefined, noon)).toBe(true);
});
