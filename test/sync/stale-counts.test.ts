import { slotAt } from "./sync-fixture";
import { busyHour, idleWeeks, openStory } from "./stale-story";

test("nothing goes to zero with work that was there all the time, and not counted", async () => {
  for (const seed of [5, 6]) {
    const { lost, scaled, processed } = await busyHour({ seed, slots: 240 });
    expect(lost).toEqual([]);
    expect([scaled.some(({ to }) => to === 0), processed() > 30]).toEqual([true, true]);
  }
});

test("with the two slots that were the default, work was lost", async () => {
  for (const seed of [5, 6])
    expect((await busyHour({ seed, slots: 240, rules: { confirm: 2 } })).lost.length).toBeGreaterThan(5);
});

test("beside the poller, which wakes it, nothing is lost either", async () => {
  const { lost, scaled } = await busyHour({ seed: 1, slots: 120, isPolled: true });
  expect(lost).toEqual([]);
  expect(scaled.some(({ by, to }) => by === "poller" && to > 0)).toBe(true);
});

test("an idle queue that spikes as reported is started less than once in a week", async () => {
  const { spikes, starts } = await idleWeeks({ seed: 3, weeks: 2 });
  expect(spikes.length).toBeGreaterThan(8);
  expect(starts.length).toBeLessThan(2);
});

const inFlightAlone = { spikesAWeek: { inFlight: 20, visible: 0 } };

test("messages in flight alone start nothing, however often they spike", async () => {
  const { spikes, starts } = await idleWeeks({ seed: 5, weeks: 0.5, staleness: inFlightAlone });
  expect(spikes.length).toBeGreaterThan(5);
  expect(starts).toEqual([]);
});

test("if the counts were exact, each spike would be work", async () => {
  const rules = { confirm: 1 };
  const { spikes, starts } = await idleWeeks({ seed: 5, weeks: 0.5, staleness: inFlightAlone, rules });
  expect(starts.length).toBe(spikes.length);
});

test("a visible message wakes in the first round that counts it", async () => {
  const staleness = { lagMs: 0, spikesAWeek: { inFlight: 0, visible: 0 } };
  const { queue, clock, slot, slotWithPolls, scaled, woken } = openStory({ seed: 1, staleness });
  for (let index = 1; index <= 6; index += 1) await slot(index);
  clock.after(slotAt(7) + 4_500 - clock.now(), () => queue.send("work"));
  await slotWithPolls(7);
  expect([woken, scaled.at(-1)]).toEqual([[slotAt(7) + 5_300], { at: slotAt(7) + 5_300, to: 1, by: "poller" }]);
});
