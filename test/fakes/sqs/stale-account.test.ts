import { manualClock, realClock } from "../../../local/clock";
import { seededRandom } from "../../../local/random";
import { startSqsServer } from "../../../local/backends/sqs/server";
import { sqsContract } from "../../contract/sqs-contract";
import { asReported, staleAccount, type Staleness } from "./stale-account";

const hourMs = 3_600_000;

function setUp(over: Partial<Staleness> = {}) {
  const clock = manualClock(0);
  const account = staleAccount({ clock, random: seededRandom(1) }, { seed: 1, ...asReported, ...over });
  const queue = account.create("q", { VisibilityTimeout: "600" });
  /** What is counted in each second of so long. */
  const counted = (ms: number) =>
    Array.from({ length: ms / 1_000 }, () => {
      clock.advance(1_000);
      return account.find("q").counts();
    });
  const total = ({ visible, inFlight }: { visible: number; inFlight: number }) => visible + inFlight;
  return { clock, account, queue, counted, total };
}

const received = (queue: ReturnType<typeof setUp>["queue"]) => {
  let handles: readonly (string | undefined)[] = [];
  queue.receive({ max: 10, waitMs: 0 }, (messages) => (handles = messages.map(({ receiptHandle }) => receiptHandle)));
  return handles;
};

test("what lasts for a minute is counted exactly, and before that may be missed", () => {
  const seen = { missed: 0, inFlightMissed: 0, ghosts: 0 };
  for (let seed = 1; seed <= 40; seed += 1) {
    const { queue, counted, total } = setUp({ seed });
    counted(120_000);
    queue.send("a");
    if (counted(60_000).some((counts) => total(counts) === 0)) seen.missed += 1;
    expect(counted(60_000)).toEqual(Array(60).fill({ visible: 1, inFlight: 0, delayed: 0 }));
    const [handle] = received(queue);
    if (counted(60_000).some((counts) => total(counts) === 0)) seen.inFlightMissed += 1;
    expect(counted(60_000)).toEqual(Array(60).fill({ visible: 0, inFlight: 1, delayed: 0 }));
    queue.delete(handle ?? "");
    if (counted(60_000).some((counts) => total(counts) > 0)) seen.ghosts += 1;
    expect(counted(60_000)).toEqual(Array(60).fill({ visible: 0, inFlight: 0, delayed: 0 }));
  }
  // Each happens in more than a quarter of the stories.
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
});

test("an idle queue spikes as often as reported, by 1 or 2 and for a minute at most; one with messages does not", () => {
  const weeks = 40;
  const { account, clock, queue } = setUp();
  const until = weeks * 168 * hourMs;
  const [inFlight, visible] = [account.spikesOf("q", "inFlight", until), account.spikesOf("q", "visible", until)];
  expect(inFlight.length / weeks).toBeCloseTo(asReported.spikesAWeek.inFlight, 0);
  expect(visible.length / weeks).toBeCloseTo(asReported.spikesAWeek.visible, 0);
  for (const { from, to, messages } of [...inFlight, ...visible]) {
    expect(to - from).toBeLessThanOrEqual(60_000);
    expect([1, 2]).toContain(messages);
  }
  const [first, second] = inFlight;
  if (first === undefined || second === undefined) throw new Error("expected two spikes");
  clock.advance(first.from - 1);
  expect(account.find("q").counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  clock.advance(2);
  expect(account.find("q").counts()).toEqual({ visible: 0, inFlight: first.messages, delayed: 0 });
  clock.advance(first.to - clock.now());
  expect(account.find("q").counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  queue.send("a");
  clock.advance((first.from + second.from) / 2 - clock.now());
  queue.setAttributes({ MessageRetentionPeriod: "1209600" });
  clock.advance(second.from + 1 - clock.now());
  expect(account.find("q").counts().inFlight).toBe(0);
});

test("the same seed counts the same, and another one differently", () => {
  const story = (seed: number) => {
    const { queue, counted } = setUp({ seed });
    queue.send("a");
    queue.send("b", { delaySeconds: 20 });
    const before = counted(30_000);
    received(queue);
    return [...before, ...counted(90_000)];
  };
  expect(story(3)).toEqual(story(3));
  expect(story(4)).not.toEqual(story(3));
});

// Beyond its counts, it is the demo's queues: without lags and spikes, it passes what they and the emulator pass.
sqsContract("stale account that is settled", async () => {
  const clock = realClock();
  const settled = { seed: 1, lagMs: 0, spikeMs: 0, spikesAWeek: { inFlight: 0, visible: 0 } };
  const server = await startSqsServer(staleAccount({ clock, random: seededRandom(1) }, settled));
  return {
    endpoint: server.endpoint,
    credentials: server.credential,
    async tearDown() {
      clock.close();
      await server.close();
    },
  };
});
