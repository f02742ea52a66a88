import { takeTurns } from "../../lib/async/limit";

test("at most so many at a time, in the order of asking, and a failure frees its turn", async () => {
  const inTurn = takeTurns(3);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const work = (index: number) => async () => {
    order.push(index);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (index % 4 === 0) throw new Error(`work ${index}`);
    return index;
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => inTurn(work(index))));
  expect(most).toBe(3);
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(5);
});
