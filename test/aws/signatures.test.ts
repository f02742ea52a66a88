/** @jest-environment node */
import { openSignatures, type Signatures } from "../../lib/aws/signatures";

const place = { url: new URL("https://sqs.eu-west-1.amazonaws.com/"), region: "eu-west-1" };
const credentials = { accessKeyId: "AKID", secretAccessKey: "s3cr3t" };
const target = (operation: string) => ({ "x-amz-target": `AmazonSQS.${operation}` });
const read = { headers: target("GetQueueAttributes"), body: `{"QueueUrl":"orders"}`, repeats: true };
const start = Date.UTC(2026, 0, 1);

let signatures: Signatures;
beforeEach(() => {
  jest.useFakeTimers({ now: start });
  signatures = openSignatures("sqs", place);
});
afterEach(() => jest.useRealTimers());

const dateOf = async (request = read, by = credentials) => (await signatures.sign(request, by)).headers["x-amz-date"];
const answerWithDate = (ms = Date.now()) => signatures.followClock(new Date(ms).toUTCString());
const after = (ms: number) => jest.setSystemTime(Date.now() + ms);

test("a repeated read has the same signature for 2 minutes", async () => {
  const first = await signatures.sign(read, credentials);
  answerWithDate();
  after(119_999);
  expect(await signatures.sign({ ...read }, credentials)).toEqual({ ...first, isReused: true });
  after(1);
  expect(await dateOf()).toBe("20260101T000200Z");
});

test.each<[when: string, change: () => void]>([
  ["before the service has told its time", () => undefined],
  ["while the clocks differ by half a minute", () => answerWithDate(Date.now() + 31_000)],
  ["after an answer without a date", () => signatures.followClock("soon")],
  ["after it failed", () => (answerWithDate(), signatures.forget(read))],
  ["after the service's clock was found to be another one", () => (answerWithDate(), answerWithDate(start + 400_000))],
])("a repeated read has a new signature %s", async (_when, change) => {
  const first = await dateOf();
  change();
  after(1_000);
  expect(await dateOf()).not.toBe(first);
});

test("after a service refused one that it had before, each request has a new one", async () => {
  await dateOf();
  answerWithDate();
  signatures.stopReusing();
  for (const date of ["20260101T000001Z", "20260101T000002Z"]) {
    after(1_000);
    expect(await dateOf()).toBe(date);
  }
});

test("a clock that goes back makes a new signature", async () => {
  const first = await dateOf();
  answerWithDate();
  after(-5_000);
  expect(await dateOf()).not.toBe(first);
});

test.each<[what: string, request: typeof read, by: typeof credentials]>([
  ["other credentials", read, { ...credentials }],
  ["another queue", { ...read, body: `{"QueueUrl":"mail"}` }, credentials],
  ["another operation", { ...read, headers: target("ListQueues") }, credentials],
])("%s: another signature", async (_what, request, by) => {
  const first = await dateOf();
  answerWithDate();
  after(1_000);
  expect(await dateOf(request, by)).not.toBe(first);
});

test("a write has a signature of its own each time", async () => {
  const write = { ...read, repeats: false };
  const first = await dateOf(write);
  answerWithDate();
  after(1_000);
  expect(await dateOf(write)).not.toBe(first);
});

test("of more queues than are kept, asked in turns, the first keep their signatures until they are too old", async () => {
  signatures = openSignatures("sqs", place, 10);
  const queues = Array.from({ length: 12 }, (_, n) => ({ ...read, body: `{"QueueUrl":"${n}"}` }));
  const turn = async () => {
    const dates: unknown[] = [];
    for (const queue of queues) dates.push(await dateOf(queue));
    return dates;
  };
  const [first] = await turn();
  answerWithDate();
  after(15_000);
  expect((await turn()).filter((date) => date === first)).toHaveLength(10);
  after(105_000);
  expect(await turn()).not.toContain(first);
  after(15_000);
  expect(new Set(await turn()).size).toBe(2); // the second ten were kept as well
});

test("the service's clock is followed from 5 minutes on", async () => {
  expect(answerWithDate(start + 299_000)).toBe(false);
  expect(await dateOf()).toBe("20260101T000000Z");
  expect(answerWithDate(start + 3_600_000)).toBe(true);
  expect(await dateOf()).toBe("20260101T010000Z");
  expect(answerWithDate(start + 3_600_000)).toBe(false);
});
