import { manualClock } from "../../../local/clock";
import { startConsumer } from "../../../local/demo/metrics-server";
import { seededRandom } from "../../../local/random";
import { createQueue } from "../../../local/backends/sqs/queue";

function setUp(messages: number) {
  const clock = manualClock(0);
  const queue = createQueue({ name: "q", clock, random: seededRandom(1), attributes: { VisibilityTimeout: "30" } });
  for (let number = 0; number < messages; number += 1) queue.send(String(number));
  const processed: string[] = [];
  const consumer = startConsumer({
    ...{ queue, clock, serviceMs: () => 1_000 },
    onProcessed: ({ body }) => processed.push(body),
  });
  return { clock, queue, processed, consumer };
}

test("takes one message at a time, and deletes it when it is done", () => {
  const { clock, queue, processed } = setUp(3);
  clock.advance(0);
  expect(queue.counts()).toEqual({ visible: 2, inFlight: 1, delayed: 0 });
  clock.advance(2_000);
  expect([processed, queue.counts()]).toEqual([["0", "1"], { visible: 0, inFlight: 1, delayed: 0 }]);
});

test("waits for what comes later, past the end of a long poll too", () => {
  const { clock, queue, processed } = setUp(0);
  clock.advance(50_000);
  queue.send("late");
  clock.advance(1_000);
  expect(processed).toEqual(["late"]);
});

test("when stopped, it finishes its message and takes no other", () => {
  const { clock, queue, processed, consumer } = setUp(2);
  clock.advance(500);
  const done = jest.fn();
  consumer.stop(done);
  clock.advance(499);
  expect(done).not.toHaveBeenCalled();
  clock.advance(1);
  expect([done.mock.calls.length, processed]).toEqual([1, ["0"]]);
  clock.advance(60_000);
  expect(queue.counts()).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
});

test("idle, it stops at once", () => {
  const { clock, queue, consumer } = setUp(0);
  clock.advance(1_000);
  const done = jest.fn();
  consumer.stop(done);
  expect(done).toHaveBeenCalledTimes(1);
  queue.send("unread");
  clock.advance(60_000);
  expect(queue.counts().visible).toBe(1);
});

test("killed, it leaves its message, which reappears after the visibility timeout", () => {
  const { clock, queue, processed, consumer } = setUp(1);
  clock.advance(500);
  consumer.kill();
  clock.advance(29_499);
  expect([processed, queue.counts()]).toEqual([[], { visible: 0, inFlight: 1, delayed: 0 }]);
  clock.advance(1);
  expect(queue.counts()).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
});
