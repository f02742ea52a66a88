/** @jest-environment node */
import { callAws } from "../../lib/aws/call";

const never = new AbortController().signal;
const call = { action: "sqs:GetQueueUrl", description: `queue "orders"`, signal: never };

afterEach(() => jest.useRealTimers());

test("passes the answer on, and turns an error into a Fault", async () => {
  await expect(callAws(call, () => Promise.resolve(7))).resolves.toBe(7);
  const thrown = Object.assign(new Error(), { name: "RequestThrottled" });
  await expect(callAws(call, () => Promise.reject(thrown))).rejects.toMatchObject({ kind: "throttled", cause: thrown });
});

test("an answer that never comes ends after ten seconds, and its request is aborted", async () => {
  jest.useFakeTimers();
  let request: AbortSignal | undefined;
  const answer = callAws(call, (signal) => {
    request = signal;
    return new Promise(() => undefined);
  });
  const outcome = expect(answer).rejects.toMatchObject({
    kind: "timeout",
    message: `queue "orders": no complete answer to sqs:GetQueueUrl in 10 s`,
  });
  jest.advanceTimersByTime(9_999);
  expect(request?.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  expect(request?.aborted).toBe(true);
  await outcome;
  expect(jest.getTimerCount()).toBe(0);
});

test("the deadline ends a call at once, even one that does not listen, and leaves no timer behind", async () => {
  jest.useFakeTimers();
  const deadline = new AbortController();
  const answer = callAws({ ...call, signal: deadline.signal }, () => new Promise(() => undefined));
  const outcome = expect(answer).rejects.toMatchObject({
    kind: "timeout",
    message: `queue "orders": the sync's time was up before sqs:GetQueueUrl answered`,
  });
  deadline.abort();
  await outcome;
  expect(jest.getTimerCount()).toBe(0);
});

test("after the deadline nothing is sent", async () => {
  const send = jest.fn(() => Promise.resolve(7));
  await expect(callAws({ ...call, signal: AbortSignal.abort() }, send)).rejects.toMatchObject({ kind: "timeout" });
  expect(send).not.toHaveBeenCalled();
});
