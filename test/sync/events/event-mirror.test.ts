import { Fault } from "../../../lib/model/fault";
import type { ClusterEntry } from "../../../lib/model/entry/entries";
import type { FailureLine } from "../../../lib/model/report";
import { openEventMirror } from "../../../lib/sync/events/event-mirror";
import { openEventRecorder } from "../../../lib/sync/events/event-recorder";
import type { Cluster } from "../../../lib/model/ports/cluster";
import { fakeCluster } from "../../fakes/fake-cluster";
import { document, fixture, queueSpec, slotAt, start } from "../sync-fixture";

const signal = new AbortController().signal;
const asking: ClusterEntry = {
  name: "prod",
  spec: {
    endpoint: "https://prod.example",
    auth: { type: "token", secret: "ebb/prod" },
    options: { mirrorEvents: true },
  },
};

function event(name: string, namespace = "shop") {
  const target = { apiVersion: "apps/v1", kind: "Deployment", name, namespace, uid: `uid-${name}` };
  const moments = { firstTimestamp: start, lastTimestamp: start };
  const said = { type: "Warning", reason: "FailedGetScale", message: "gone" } as const;
  return { target, event: { ...said, ...moments, name: `${name}.1`, count: 1 } };
}

/** A mirror into a cluster that answers as `recordEvent` does. */
function setUp(recordEvent?: Cluster["recordEvent"]) {
  const cluster = fakeCluster();
  const asked: string[] = [];
  const lines: FailureLine[] = [];
  const far: Cluster = {
    ...cluster,
    recordEvent: (target, ...rest) => {
      asked.push(`${target.namespace}/${target.name}`);
      return (recordEvent ?? ((...args) => cluster.recordEvent(...args)))(target, ...rest);
    },
  };
  const mirror = openEventMirror({
    clusters: { connect: () => Promise.resolve(far) },
    reporter: { failed: (line) => void lines.push(line) },
  });
  const show = (events: readonly ReturnType<typeof event>[], slot = 0, entry = asking) =>
    mirror.show(entry, events, { at: slotAt(slot), inTime: () => true, signal });
  return { cluster, asked, lines, show };
}

test("events are shown where the cluster's entry asks for it, and nowhere else", async () => {
  const { asked, show } = setUp();
  await show([event("a"), event("b")]);
  expect(asked).toEqual(["shop/a", "shop/b"]);
  await show([event("c")], 1, { ...asking, spec: { ...asking.spec, options: {} } });
  expect(asked).toHaveLength(2);
});

test("a forbidden namespace is reported once, and gets no request for ten minutes", async () => {
  const { asked, lines, show } = setUp((target) =>
    target.namespace === "shop" ? Promise.reject(new Fault("forbidden", "events is forbidden")) : Promise.resolve(),
  );
  await show([event("a"), event("b", "web")], 0);
  await show([event("a"), event("b", "web")], 1);
  await show([event("a")], 39);
  expect(asked).toEqual(["shop/a", "web/b", "web/b"]);
  await show([event("a")], 40);
  expect(asked).toHaveLength(4);
  const line = { cluster: "prod", reason: "FailedMirrorEvents", message: "events is forbidden" };
  expect(lines[0]).toEqual({ ...line, at: slotAt(0) });
});

test("a cluster that does not answer gets no more calls after three", async () => {
  const { asked, lines, show } = setUp(() => Promise.reject(new Fault("timeout", "no answer within 3 s")));
  await show(Array.from({ length: 100 }, (_, index) => event(`a-${index}`)));
  expect(asked.length).toBeLessThan(20);
  expect(lines).toHaveLength(1);
});

test("a cluster without a connection fails nothing, and is reported once", async () => {
  const lines: FailureLine[] = [];
  const mirror = openEventMirror({
    clusters: { connect: () => Promise.reject(new Fault("unauthorized", "no token")) },
    reporter: { failed: (line) => void lines.push(line) },
  });
  for (const slot of [0, 1]) await mirror.show(asking, [event("a")], { at: slotAt(slot), inTime: () => true, signal });
  expect(lines.map(({ message }) => message)).toEqual(["no token"]);
});

describe("what is not asked", () => {
  const timeout = new Fault("timeout", "no answer within 3 s");

  test.each([
    ["no options", { ...asking, spec: { endpoint: "https://prod.example", auth: asking.spec.auth } }, [event("a")]],
    ["no event", asking, []],
  ])("%s: no connection", async (_name, entry, events) => {
    let connections = 0;
    const mirror = openEventMirror({
      clusters: { connect: () => Promise.resolve(((connections += 1), fakeCluster())) },
      reporter: { failed: () => undefined },
    });
    const time = { at: start, inTime: () => true, signal };
    await mirror.show(entry, events, time);
    await mirror.show(asking, [event("a")], { ...time, inTime: () => false });
    expect(connections).toBe(0);
  });

  test("a namespace that is known to be forbidden: no connection", async () => {
    let connections = 0;
    const far: Cluster = { ...fakeCluster(), recordEvent: () => Promise.reject(new Fault("forbidden", "no")) };
    const mirror = openEventMirror({
      clusters: { connect: () => Promise.resolve(((connections += 1), far)) },
      reporter: { failed: () => undefined },
    });
    for (let slot = 0; slot < 3; slot++)
      await mirror.show(asking, [event("a")], { at: slotAt(slot), inTime: () => true, signal });
    expect(connections).toBe(1);
  });

  test.each(["timeout", "unreachable", "lost"] as const)(
    "eight at a time, and no more after three in a row without an answer (%s)",
    async (kind) => {
      let line = Promise.resolve();
      const { asked, show } = setUp(async () => {
        line = line.then(() => new Promise((resolve) => setImmediate(resolve)));
        await line;
        throw new Fault(kind, "no answer");
      });
      await show(Array.from({ length: 100 }, (_, index) => event(`a-${index}`)));
      expect(asked).toHaveLength(8 + 2);
    },
  );

  test.each(["conflict", "notFound", "badAnswer"] as const)(
    "an answer counts as one (%s): all are asked",
    async (kind) => {
      const { asked, show } = setUp(() => Promise.reject(new Fault(kind, "an answer")));
      await show(Array.from({ length: 30 }, (_, index) => event(`a-${index}`)));
      expect(asked).toHaveLength(30);
      await show([event("b")], 1);
      expect(asked).toHaveLength(31);
    },
  );

  test("an answer in between begins the count again", async () => {
    let calls = 0;
    const { asked, show } = setUp(() => ((calls += 1) % 3 === 0 ? Promise.resolve() : Promise.reject(timeout)));
    await show(Array.from({ length: 60 }, (_, index) => event(`a-${index}`)));
    expect(asked).toHaveLength(60);
  });
});

describe("what is reported", () => {
  const failure = new Fault("badAnswer", "an error over there");

  test("a failure again, once calls went well in between", async () => {
    let answer: Fault | undefined = failure;
    const { lines, show } = setUp(() => (answer === undefined ? Promise.resolve() : Promise.reject(answer)));
    await show([event("a")], 0);
    await show([event("a")], 1);
    answer = undefined;
    await show([event("a")], 2);
    answer = failure;
    await show([event("a")], 3);
    expect(lines.map(({ at }) => at)).toEqual([slotAt(0), slotAt(3)]);
  });

  test("no call says nothing of the failure before", async () => {
    const { lines, asked, show } = setUp(() => Promise.reject(failure));
    await show([event("a")], 0);
    let isLate = false;
    const late = openEventMirror({
      clusters: { connect: () => Promise.resolve(((isLate = true), fakeCluster())) },
      reporter: { failed: (line) => void lines.push(line) },
    });
    await late.show(asking, [event("a")], { at: slotAt(1), inTime: () => !isLate, signal });
    await show([event("a")], 2);
    expect(lines).toHaveLength(1);
    expect(asked).toHaveLength(2);
  });

  test("another failure", async () => {
    let calls = 0;
    const { lines, show } = setUp(() => Promise.reject(new Fault("badAnswer", `error ${(calls += 1)}`)));
    await show([event("a")], 0);
    await show([event("a")], 1);
    expect(lines.map(({ message }) => message)).toEqual(["error 1", "error 2"]);
  });

  test.each(["recordEvent", "connect"])("a defect of %s stays visible", async (where) => {
    const defect = new TypeError("x is not a function");
    const far: Cluster = { ...fakeCluster(), recordEvent: () => Promise.reject(defect) };
    const mirror = openEventMirror({
      clusters: { connect: () => (where === "connect" ? Promise.reject(defect) : Promise.resolve(far)) },
      reporter: { failed: () => undefined },
    });
    await expect(mirror.show(asking, [event("a")], { at: start, inTime: () => true, signal })).rejects.toBe(defect);
  });
});

test("a sync's events reach their target, with its identity, as often as the table is written", async () => {
  const day = fixture();
  const clusters = { connect: () => Promise.resolve(day.cluster) };
  const { store, reporter } = day;
  const mirror = openEventMirror({ clusters, reporter });
  const events = openEventRecorder({ store, reporter, mirror });
  day.store.clusterEntries.set("prod", { key: "prod", value: asking });
  for (let slot = 1; slot <= 60; slot++) await day.sync(slot, { events });
  const { uid } = day.cluster.scales.get("shop/orders") ?? {};
  const shown = [...day.cluster.shown.values()];
  expect(shown.map(({ event: { reason } }) => reason)).toEqual([
    "FailedGetExternalMetric",
    "FailedComputeMetricsReplicas",
  ]);
  expect(shown[0]?.target).toMatchObject({ kind: "Deployment", name: "orders", namespace: "shop", uid });
  // As many as the spam filter lets through: 25 at once, and one in five minutes.
  expect(day.cluster.calls["recordEvent"]).toBe(25 + 2);
  expect(shown[0]?.event.count).toBe(Number((await day.eventsNow())[1]?.match(/x(\d+)/)?.[1]));
});

test("an HPA whose target was never seen has nothing to show its events on", async () => {
  const day = fixture();
  const { store, reporter } = day;
  const mirror = openEventMirror({ clusters: { connect: () => Promise.resolve(day.cluster) }, reporter });
  const events = openEventRecorder({ store, reporter, mirror });
  day.store.clusterEntries.set("prod", { key: "prod", value: asking });
  day.store.documents.set("prod shop/orders", document({ ...queueSpec, maxReplicas: 0 }));
  await day.sync(1, { events });
  expect(await day.eventsNow()).toHaveLength(1);
  expect(day.cluster.shown.size).toBe(0);
});
