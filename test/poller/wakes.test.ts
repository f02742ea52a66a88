import { Fault } from "../../lib/model/fault";
import { asHpaKey } from "../../lib/model/hpa-key";
import type { WakeMessage } from "../../lib/model/messages";
import type { ZeroId } from "../../lib/poller/polled-queries";
import { openWakes } from "../../lib/poller/wakes";
import { memoryStore } from "../fakes/memory-store";

const start = Date.parse("2026-11-10T12:00:00Z");
const since = "2026-11-10T11:00:00Z";
const hpa = (name: string, cluster = "prod"): ZeroId => ({ cluster, key: asHpaKey(`shop/${name}`), since });

function setUp() {
  const store = memoryStore();
  const clock = { now: start };
  const ending = new AbortController();
  const sent: string[] = [];
  const ended: string[] = [];
  const failures: string[] = [];
  const queue: { before: () => Promise<void> } = { before: () => Promise.resolve() };
  const wakes = openWakes(
    {
      store,
      queue: {
        async send(messages) {
          await queue.before();
          for (const { message, delaySeconds } of messages) {
            const { cluster, names } = message as WakeMessage;
            sent.push(`${cluster}: ${names.join(", ")} +${delaySeconds}`);
          }
        },
      },
    },
    {
      ...{ now: () => clock.now, signal: ending.signal, failed: (message: string) => void failures.push(message) },
      ended: (ids) => void ended.push(...ids.map(({ cluster, key }) => `${cluster} ${key}`)),
    },
  );
  const put = ({ cluster, key }: ZeroId, replicas: number, lastScaleTime: string | undefined = since) => {
    const scaledToZero = {
      type: "ScaledToZero" as const,
      status: replicas === 0 ? ("True" as const) : ("False" as const),
    };
    const status = { desiredReplicas: replicas, currentReplicas: replicas, conditions: [scaledToZero] };
    const full = { ...status, ...(lastScaleTime !== "never" && { lastScaleTime }) };
    store.stateItems.set(`${cluster} ${key}`, { version: 1, slot: 1, status: full, history: null, open: false });
  };
  const find = async (...ids: readonly ZeroId[]) => {
    wakes.found(ids);
    await wakes.settled();
  };
  return { store, clock, ending, sent, ended, failures, queue, wakes, put, find };
}

test("HPAs at zero are woken, each by its own cluster", async () => {
  const { put, find, sent, ended, wakes, store } = setUp();
  const ids = [hpa("a"), hpa("b"), hpa("a", "test")];
  for (const id of ids) put(id, 0);
  await find(...ids);
  expect(sent).toEqual(["prod: a, b +0", "test: a +0"]);
  expect([ended, wakes.woken(), store.calls["states"]]).toEqual([[], 3, 2]);
});

test.each<[string, (given: ReturnType<typeof setUp>) => void]>([
  ["is up", ({ put }) => put(hpa("a"), 3)],
  ["was up meanwhile", ({ put }) => put(hpa("a"), 0, "2026-11-10T11:30:00Z")],
  ["was never scaled", ({ put }) => put(hpa("a"), 0, "never")],
  ["has no state", () => undefined],
])("an HPA that %s is not woken, and its zero has ended", async (_name, given) => {
  const world = setUp();
  given(world);
  world.put(hpa("b"), 0);
  await world.find(hpa("a"), hpa("b"));
  expect(world.sent).toEqual(["prod: b +0"]);
  expect(world.ended).toEqual(["prod shop/a"]);
  expect(world.wakes.woken()).toBe(1);
});

test("an HPA that was never scaled has a zero of its own", async () => {
  const { put, find, sent } = setUp();
  put(hpa("a"), 0, "never");
  await find({ ...hpa("a"), since: "" });
  expect(sent).toEqual(["prod: a +0"]);
});

test("when all are up, the queue is not asked", async () => {
  const { put, find, sent, queue } = setUp();
  let asked = 0;
  queue.before = () => Promise.resolve(void asked++);
  put(hpa("a"), 1);
  await find(hpa("a"));
  expect([sent, asked]).toEqual([[], 0]);
});

test("a zero is woken again after 5, 10, 20, 40 and 60 s", async () => {
  const { clock, put, find, sent } = setUp();
  put(hpa("a"), 0);
  const moments: number[] = [];
  for (let second = 0; second <= 200; second++) {
    clock.now = start + second * 1_000;
    await find(hpa("a"));
    if (sent.splice(0).length > 0) moments.push(second);
  }
  expect(moments).toEqual([0, 5, 15, 35, 75, 135, 195]);
});

test("what is found while a batch is under way goes into the next one", async () => {
  const { put, queue, sent, wakes } = setUp();
  for (const name of ["a", "b", "c"]) put(hpa(name), 0);
  let go = () => {};
  queue.before = () => new Promise((resolve) => (go = resolve));
  wakes.found([hpa("a")]);
  await new Promise((resolve) => setImmediate(resolve));
  wakes.found([hpa("b")]);
  wakes.found([hpa("a"), hpa("c")]);
  queue.before = () => Promise.resolve();
  go();
  await wakes.settled();
  expect(sent).toEqual(["prod: a +0", "prod: b, c +0"]);
});

test("what the queue did not take is found again in the next poll, and reported", async () => {
  const { clock, put, find, queue, sent, failures, wakes } = setUp();
  put(hpa("a"), 0);
  queue.before = () => Promise.reject(new Fault("throttled", "too fast"));
  await find(hpa("a"));
  expect([sent, failures, wakes.woken()]).toEqual([[], ["too fast"], 0]);
  queue.before = () => Promise.resolve();
  clock.now += 1_000;
  await find(hpa("a"));
  expect([sent, wakes.woken()]).toEqual([["prod: a +0"], 1]);
});

test("what fails because the poller ends is not reported, and nothing more is sent", async () => {
  const { put, queue, sent, failures, ending, wakes } = setUp();
  for (const name of ["a", "b"]) put(hpa(name), 0);
  let fail = (_error: Error) => {};
  queue.before = () => new Promise((_resolve, reject) => (fail = reject));
  wakes.found([hpa("a")]);
  await new Promise((resolve) => setImmediate(resolve));
  wakes.found([hpa("b")]);
  ending.abort();
  fail(new Fault("timeout", "over"));
  await wakes.settled();
  expect([sent, failures]).toEqual([[], []]);
});
