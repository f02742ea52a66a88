import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { syncHandler } from "../../functions/sync";
import type { SyncWiring } from "../../functions/wiring";
import { Fault } from "../../lib/model/fault";
import type { Store } from "../../lib/model/ports/store";
import { encodeQueueMessage } from "../../lib/model/messages";
import type { Telemetry } from "../../functions/reporter";
import { openEventRecorder } from "../../lib/sync/events/event-recorder";
import { memoryStore } from "../fakes/memory-store";
import { accepted, fakeSqs } from "./fake-sqs";

const slot = Date.parse("2026-03-01T12:00:00Z");
const queueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/slots";

const body = (cluster: string) => encodeQueueMessage({ cluster, from: "", slot, until: slot + 15_000 });
const batch = (...bodies: readonly string[]) =>
  ({ Records: bodies.map((text, id) => ({ messageId: `m${id}`, receiptHandle: `r${id}`, body: text })) }) as SQSEvent;
const context = (remaining = 30_000) =>
  ({ awsRequestId: "request-1", getRemainingTimeInMillis: () => remaining }) as unknown as Context;

/** A handler over a table in memory without shards, so that a sync that reaches it ends as "gone". */
function open(store: Partial<Store> = {}, answer: Parameters<typeof fakeSqs>[0] = accepted) {
  const reported: string[] = [];
  const tell =
    (what: string) =>
    (...given: readonly unknown[]) => {
      const shown = given.map((value) => (value instanceof Error ? value.message : JSON.stringify(value)));
      reported.push([what, ...shown].join(" "));
    };
  const reporter: Telemetry = {
    scaled: tell("scaled"),
    failed: tell("failed"),
    recovered: tell("recovered"),
    synced: ({ cluster, outcome }: { cluster?: string; outcome: string }) =>
      reported.push(`synced ${cluster} ${outcome}`),
    ticked: tell("ticked"),
    started: tell("started"),
    messageFailed: (error, { messageId }) => tell("messageFailed")(error, messageId),
    invocationFailed: tell("invocationFailed"),
    signatureRefused: tell("signatureRefused"),
    unsent: tell("unsent"),
    warned: tell("warned"),
    flush: tell("flush"),
  };
  const { client, calls } = fakeSqs(answer);
  const table: Store = { ...memoryStore(), ...store };
  const wiring: SyncWiring = {
    ports: {
      store: table,
      clusters: { connect: (entry) => Promise.reject(new Fault("unreachable", `cluster ${entry.name}`)) },
      sources: {},
      reporter,
      events: openEventRecorder({ store: table, reporter }),
    },
    reporter,
    queue: { client, queueUrl },
    now: () => slot,
    workedMs: () => 0,
  };
  const handle = syncHandler(wiring);
  return {
    handle: (event: SQSEvent, at = context()) => handle(event, at) as Promise<SQSBatchResponse>,
    reported,
    calls,
  };
}

/** A table whose answer for the shards of one cluster is given. */
const shardOf = (cluster: string, answer: Store["shard"]): Partial<Store> => {
  const store = memoryStore();
  return { shard: (range, signal) => (range.cluster === cluster ? answer(range, signal) : store.shard(range, signal)) };
};

test("one bad record among good ones is reported alone, and the metrics leave once, at the end", async () => {
  const throttled = () => Promise.reject(new Fault("throttled", "table ebb: throttled"));
  const { handle, reported } = open(shardOf("bad", throttled));
  const response = await handle(batch(body("one"), body("bad"), body("two")));
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "m1" }] });
  expect(reported).toEqual([
    'started "request-1"',
    "synced one gone",
    "synced two gone",
    'messageFailed table ebb: throttled "m1"',
    "flush",
  ]);
});

test("a batch without failures fails nothing and calls nobody", async () => {
  const { handle, calls } = open();
  expect(await handle(batch(body("one"), body("two")))).toEqual({ batchItemFailures: [] });
  expect(calls).toEqual([]);
});

test("a malformed message fails, naming the field, so that it ends in the dead-letter queue", async () => {
  const { handle, reported } = open();
  const response = await handle(batch("<html>", '{"cluster":7}', body("one")));
  expect(response.batchItemFailures).toEqual([{ itemIdentifier: "m0" }, { itemIdentifier: "m1" }]);
  expect(reported).toContain('messageFailed queue message: expected JSON, got <html> "m0"');
  expect(reported).toContain(
    'messageFailed slot message, field cluster: expected a cluster\'s name of at most 2048 characters, got 7 "m1"',
  );
  expect(reported).toContain("synced one gone");
});

test("what failed becomes visible again in seconds", async () => {
  const { handle, calls } = open();
  await handle(batch(body("one"), "{}"));
  expect(calls).toEqual([
    {
      name: "ChangeMessageVisibilityBatch",
      input: { QueueUrl: queueUrl, Entries: [{ Id: "0", ReceiptHandle: "r1", VisibilityTimeout: 3 }] },
    },
  ]);
});

test("if that call fails, the failures are still reported", async () => {
  const denied = Object.assign(new Error("not you"), { name: "AccessDenied" });
  const { handle, reported } = open({}, () => {
    throw denied;
  });
  expect(await handle(batch("{}"))).toEqual({ batchItemFailures: [{ itemIdentifier: "m0" }] });
  expect(reported.find((line) => line.startsWith("warned"))).toContain("sqs:ChangeMessageVisibility");
});

test("a sync that never ends is aborted in time, and fails alone", async () => {
  let stuckSignal: AbortSignal | undefined;
  const stuck: Store["shard"] = (_range, signal) => {
    stuckSignal = signal;
    return new Promise(() => undefined);
  };
  const { handle } = open(shardOf("stuck", stuck));
  const response = await handle(batch(body("stuck"), body("one")), context(300));
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "m0" }] });
  expect(stuckSignal?.aborted).toBe(true);
});

test("no record waits for another: all begin at once, and each fails alone when the time is up", async () => {
  const begun: string[] = [];
  const stuck: Store["shard"] = ({ cluster }) => {
    begun.push(cluster);
    return new Promise(() => undefined);
  };
  const { handle } = open({ shard: stuck });
  const names = ["a", "b", "c", "d", "e", "f"];
  const response = await handle(batch(...names.map(body)), context(300));
  expect(response.batchItemFailures).toHaveLength(6);
  expect(begun).toEqual(names);
});

test("an event that is no batch fails the invocation, and says so", async () => {
  const { handle, reported } = open();
  await expect(handle({} as SQSEvent)).rejects.toThrow("field Records: expected a batch of SQS records");
  expect(reported.slice(1)).toEqual([
    "invocationFailed event, field Records: expected a batch of SQS records, got undefined",
    "flush",
  ]);
});
