import { setTimeout as sleep } from "node:timers/promises";

/** Five, because one would make a limit of half a second take half a second. */
const msPerTurn = 5;

/**
 * Timers for tests whose far ends are all in their own process: each turn of the event loop lasts 5 ms. A machine that
 * is busy with something else makes the turns late and not more, so an answer keeps its time limit as on an idle one.
 */
export function loopTimers(): void {
  let over: Promise<void>;
  let isOver = false;

  async function turns(): Promise<void> {
    while (!isOver) {
      await sleep(1); // and not at once: the kernel too needs a moment to pass on what was written
      jest.advanceTimersByTime(msPerTurn);
    }
  }

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["Date", "hrtime", "nextTick", "performance", "queueMicrotask", "setImmediate"] });
    isOver = false;
    over = turns();
  });
  afterEach(async () => {
    isOver = true;
    await over;
    jest.useRealTimers();
  });
}
