import { openSlotQueue } from "../../lib/aws/slot-queue";
import { isFault } from "../../lib/model/fault";
import { decodeQueueMessage, isWake, type WakeMessage } from "../../lib/model/messages";
import { planWakes } from "../../lib/scheduler/plan-wakes";
import { accepted, type Call, fakeSqs } from "../functions/fake-sqs";

const queueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/slots";
const slot = Date.parse("2026-03-01T12:00:00Z");
const signal = new AbortController().signal;

const messages = (count: number) =>
  Array.from({ length: count }, (_, shard) => ({
    message: { cluster: "prod", from: `shop/${shard}`, slot, until: slot + 15_000 },
    delaySeconds: (shard % 4) * 15,
  }));

const fromOf = (body: string) => {
  const message = decodeQueueMessage(body);
  return isWake(message) ? undefined : message.from;
};
const sent = (calls: readonly Call[]) =>
  calls.flatMap(({ input }) => input.Entries.map(({ MessageBody }) => fromOf(String(MessageBody))));

const refusing = (ids: readonly string[], failure: object) => (call: Call) => ({
  Successful: accepted(call).Successful.filter(({ Id }) => !ids.includes(String(Id))),
  Failed: ids.map((Id) => ({ Id, ...failure })),
});

test("messages go ten to a call, each with its delay", async () => {
  const { client, calls } = fakeSqs(accepted);
  await openSlotQueue({ client, queueUrl }).send(messages(23), signal);
  expect(calls.map(({ input }) => input.Entries.length)).toEqual([10, 10, 3]);
  expect(sent(calls)).toEqual(messages(23).map(({ message }) => message.from));
  expect(calls[0]?.input.Entries.map(({ DelaySeconds }) => DelaySeconds)).toEqual([
    0, 15, 30, 45, 0, 15, 30, 45, 0, 15,
  ]);
  expect(calls.every(({ input }) => input.QueueUrl === queueUrl)).toBe(true);
});

/** What a team can write as keys: 1,000 entries whose names are escapes throughout. SQS refuses a larger call whole. */
test("a call has at most 256 KB", async () => {
  const { client, calls } = fakeSqs(accepted);
  const namespace = "\u0001".repeat(500);
  const hpas = Array.from({ length: 1_000 }, (_, index) => ({
    ...{ cluster: "\u0002".repeat(2_000), namespace },
    name: `${"\u0003".repeat(400)}${index}`,
  }));
  const wakes = planWakes(hpas, slot).map((message) => ({ message, delaySeconds: 0 }));
  await openSlotQueue({ client, queueUrl }).send([...messages(3), ...wakes, ...messages(3)], signal);
  const bytes = calls.map(({ input }) =>
    input.Entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(String(MessageBody)), 0),
  );
  expect(Math.max(...bytes)).toBeLessThanOrEqual(256 * 1024);
  expect(Math.max(...bytes)).toBeGreaterThan(200 * 1024);
  expect(calls.flatMap(({ input }) => input.Entries)).toHaveLength(wakes.length + 6);
  const named = calls.flatMap(({ input }) =>
    input.Entries.flatMap(({ MessageBody }) => {
      const message = decodeQueueMessage(String(MessageBody));
      return isWake(message) ? message.names : [];
    }),
  );
  expect(named).toEqual(hpas.map(({ name }) => name));
});

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
test("a body has only characters that SQS takes", async () => {
  const { client, calls } = fakeSqs(accepted);
  const names = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).concat("😀");
  const [first, ...others] = [names.slice(0, 40_000), names.slice(40_000)].map((part) => ({
    message: { cluster: "prod", namespace: "shop", names: part, at: slot },
    delaySeconds: 0,
  }));
  await openSlotQueue({ client, queueUrl }).send([first!, ...others], signal);
  const bodies = calls.flatMap(({ input }) => input.Entries.map(({ MessageBody }) => String(MessageBody)));
  for (const body of bodies) expect(body).not.toMatch(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  expect(bodies.flatMap((body) => (decodeQueueMessage(body) as WakeMessage).names)).toEqual(names);
});

test("without messages, there is no call", async () => {
  const { client, calls } = fakeSqs(accepted);
  await openSlotQueue({ client, queueUrl }).send([], signal);
  expect(calls).toEqual([]);
});

test("a message that was refused is sent again, alone", async () => {
  const once = refusing(["1"], { Code: "InternalError", SenderFault: false });
  const { client, calls } = fakeSqs((call, number) => (number === 1 ? once(call) : accepted(call)));
  await openSlotQueue({ client, queueUrl }).send(messages(3), signal);
  expect(sent(calls)).toEqual(["shop/0", "shop/1", "shop/2", "shop/1"]);
});

test("a message that the answer does not mention was not accepted", async () => {
  const { client, calls } = fakeSqs((call, number) => (number === 1 ? {} : accepted(call)));
  await openSlotQueue({ client, queueUrl }).send(messages(2), signal);
  expect(sent(calls)).toEqual(["shop/0", "shop/1", "shop/0", "shop/1"]);
});

test("when SQS refuses three times, the send fails as throttled and says how many messages were accepted", async () => {
  const { client, calls } = fakeSqs((call) =>
    refusing([String(call.input.Entries.length - 1)], { Code: "InternalError", SenderFault: false })(call),
  );
  const failed: unknown = await openSlotQueue({ client, queueUrl })
    .send(messages(3), signal)
    .catch((error: unknown) => error);
  expect(isFault(failed, "throttled")).toBe(true);
  expect(String(failed)).toContain("expected SQS to accept 3 messages, got 2 of 3 accepted (InternalError)");
  expect(calls).toHaveLength(3);
});

test("a message that is the sender's fault is not sent again", async () => {
  const { client, calls } = fakeSqs(refusing(["0"], { Code: "InvalidParameterValue", SenderFault: true }));
  const failed: unknown = await openSlotQueue({ client, queueUrl })
    .send(messages(1), signal)
    .catch((error: unknown) => error);
  expect(isFault(failed, "badEntry")).toBe(true);
  expect(calls).toHaveLength(1);
});

test("a call that fails stops no other batch, and the send fails at the end", async () => {
  const gone = Object.assign(new Error("no such queue"), { name: "QueueDoesNotExist" });
  const { client, calls } = fakeSqs((call, number) => {
    if (number === 1) throw gone;
    return accepted(call);
  });
  const failed: unknown = await openSlotQueue({ client, queueUrl })
    .send(messages(25), signal)
    .catch((error: unknown) => error);
  expect(isFault(failed, "notFound")).toBe(true);
  expect(String(failed)).toContain(queueUrl);
  expect(calls).toHaveLength(3);
});

test("an abort ends the waiting between two attempts", async () => {
  const controller = new AbortController();
  const { client, calls } = fakeSqs((call) => {
    controller.abort();
    return refusing(["0"], { Code: "InternalError", SenderFault: false })(call);
  });
  await expect(openSlotQueue({ client, queueUrl }).send(messages(1), controller.signal)).rejects.toThrow();
  expect(calls).toHaveLength(1);
});
