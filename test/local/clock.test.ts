import { manualClock, realClock } from "../../local/clock";
import { seededRandom } from "../../local/random";

test("a manual clock runs each task at its own moment, those that tasks add too", () => {
  const clock = manualClock(1_000);
  const seen: [string, number][] = [];
  clock.after(30, () => seen.push(["second", clock.now()]));
  clock.after(10, () => {
    seen.push(["first", clock.now()]);
    clock.after(5, () => seen.push(["added", clock.now()]));
  });
  const cancel = clock.after(20, () => seen.push(["cancelled", clock.now()]));
  cancel();
  clock.advance(30);
  expect(seen).toEqual([
    ["first", 1_010],
    ["added", 1_015],
    ["second", 1_030],
  ]);
  expect(clock.now()).toBe(1_030);
});

test("a closed real clock runs nothing more", async () => {
  const clock = realClock();
  const task = jest.fn();
  clock.after(0, task);
  clock.close();
  clock.after(0, task);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(task).not.toHaveBeenCalled();
});

test("the same seed gives the same numbers, another seed others", () => {
  const draw = (seed: number) => {
    const random = seededRandom(seed);
    return [random.next(), random.between(5, 6), random.suffix(5), random.uuid()];
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(7)[3]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
