/** @jest-environment node */
import { type AwsCredentials, cacheCredentials } from "../../lib/aws/credentials";
import { noLimit } from "../time/no-limit";

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test("credentials that hang are asked for again after ten seconds, also if somebody still waits for them", async () => {
  const found: AwsCredentials = { accessKeyId: "a", secretAccessKey: "b" };
  const answers = [new Promise<never>(() => undefined), Promise.resolve(found)];
  const cache = cacheCredentials(() => answers.shift() ?? Promise.reject(new Error("no more calls")));
  const stuck = expect(cache.current(noLimit())).rejects.toThrow("no answer within 10 s");
  await jest.advanceTimersByTimeAsync(10_100);
  await stuck;
  expect(await cache.current(noLimit())).toBe(found);
});
