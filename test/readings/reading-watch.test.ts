import { openReadingWatch } from "../../lib/readings/reading-watch";

/** Seconds pass with a beat every 250 ms, or without any while the process stands still. */
function day() {
  let now = 0;
  let beat = () => {};
  let ended = false;
  const watch = openReadingWatch(
    () => now,
    (given) => {
      beat = given;
      return () => void (ended = true);
    },
  );
  const runs = (seconds: number) => {
    for (let passed = 0; passed < seconds * 1000; passed += 250) {
      now += 250;
      beat();
    }
  };
  const standsStill = (seconds: number) => void (now += seconds * 1000);
  return { watch, runs, standsStill, isEnded: () => ended };
}

type Day = ReturnType<typeof day>;

const reading = (given: Day, during: () => void) =>
  given.watch.watch(() => {
    during();
    return Promise.resolve("late");
  });

test("a source that hangs while the process runs has failed", async () => {
  const given = day();
  expect(await reading(given, () => given.runs(7.5))).toEqual({ read: "late", stoodStill: false });
});

test("a reading that ends after the process stood still proves nothing", async () => {
  const given = day();
  expect(await reading(given, () => given.standsStill(20))).toEqual({ read: "late", stoodStill: true });
});

test("nor does one with a beat between the standstill and its end", async () => {
  const given = day();
  const during = () => {
    given.standsStill(6);
    given.runs(1);
  };
  expect(await reading(given, during)).toMatchObject({ stoodStill: true });
});

test("a busy process does not stand still", async () => {
  const given = day();
  const during = () => {
    for (let turn = 0; turn < 7; turn += 1) {
      given.standsStill(0.9);
      given.runs(0.25);
    }
  };
  expect(await reading(given, during)).toMatchObject({ stoodStill: false });
});

test("a standstill before the reading does not count", async () => {
  const given = day();
  given.standsStill(20);
  expect(await reading(given, () => given.runs(1))).toMatchObject({ stoodStill: false });
});

test("if another reading ended in its time, this one has failed", async () => {
  const given = day();
  const during = async () => {
    await reading(given, () => given.runs(0.25));
    given.standsStill(6);
    return "late";
  };
  expect(await given.watch.watch(during)).toMatchObject({ stoodStill: false });
});

test("of all that end together after a standstill, none proves that another has failed", async () => {
  const given = day();
  let thaw = () => {};
  const frozen = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  const all = [1, 2, 3].map(() => given.watch.watch(() => frozen));
  given.standsStill(20);
  thaw();
  expect((await Promise.all(all)).map(({ stoodStill }) => stoodStill)).toEqual([true, true, true]);
});

test("has a timer only while a reading is on its way", async () => {
  const given = day();
  await reading(given, () => expect(given.isEnded()).toBe(false));
  expect(given.isEnded()).toBe(true);
});

test("ends with its run", () => {
  const given = day();
  void given.watch.watch(() => new Promise(() => undefined));
  given.watch.end();
  expect(given.isEnded()).toBe(true);
});

test("a reading that never ends keeps no process", () => {
  const timers = jest.spyOn(globalThis, "setTimeout");
  const watch = openReadingWatch(() => 0);
  void watch.watch(() => new Promise(() => {}));
  expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false]);
  watch.end();
});
