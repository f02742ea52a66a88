/** @jest-environment node */
import { type CredentialAttempt, renewing, withRenewal } from "../../lib/net/credential";
import { Fault } from "../../lib/model/fault";
import { noLimit } from "../time/no-limit";

/** Each credential is read at its origin, and good until 1,000 ms after. */
function open() {
  const clock = { now: 0 };
  const reads: boolean[] = [];
  const authenticator = renewing(
    (_signal, fresh) => {
      reads.push(fresh);
      return Promise.resolve({ credential: { headers: { number: String(reads.length) } }, until: clock.now + 1_000 });
    },
    () => clock.now,
  );
  return { clock, reads, authenticator, next: () => authenticator.credential(noLimit()) };
}

test("a credential is read once until it expires", async () => {
  const { clock, reads, next } = open();
  const first = await next();
  clock.now = 999;
  expect(await next()).toBe(first);
  clock.now = 1_000;
  expect(await next()).not.toBe(first);
  expect(reads).toEqual([false, false]);
});

test("a refused credential is read again, past all caches, and the one after it is not", async () => {
  const { clock, reads, authenticator, next } = open();
  const refused = await next();
  authenticator.invalidate(refused);
  expect(await next()).not.toBe(refused);
  clock.now = 1_000;
  await next();
  expect(reads).toEqual([false, true, false]);
});

test("a refusal of a credential that was renewed meanwhile changes nothing", async () => {
  const { reads, authenticator, next } = open();
  const refused = await next();
  authenticator.invalidate(refused);
  const renewed = await next();
  authenticator.invalidate(refused);
  expect(await next()).toBe(renewed);
  expect(reads).toEqual([false, true]);
});

test("a refusal is remembered until a read succeeds", async () => {
  const reads: boolean[] = [];
  const authenticator = renewing<object>(
    (_signal, fresh) => {
      reads.push(fresh);
      if (reads.length === 2) return Promise.reject(new Error("not now"));
      return Promise.resolve({ credential: {}, until: 1_000 });
    },
    () => 0,
  );
  authenticator.invalidate(await authenticator.credential(noLimit()));
  await expect(authenticator.credential(noLimit())).rejects.toThrow("not now");
  await authenticator.credential(noLimit());
  expect(reads).toEqual([false, true, true]);
});

describe("a credential that lasts without its origin's answer", () => {
  const minuteMs = 60_000;

  /** Good for a minute, and for ten without an answer. */
  function openLasting() {
    const clock = { now: 0 };
    const answers: { next: () => Promise<string>; reads: number } = { next: () => Promise.resolve("first"), reads: 0 };
    const authenticator = renewing<{ readonly value: string }>(
      async () => {
        answers.reads += 1;
        const value = await answers.next();
        return { credential: { value }, until: clock.now + minuteMs, lasts: clock.now + 10 * minuteMs };
      },
      () => clock.now,
    );
    const next = async () => (await authenticator.credential(noLimit())).value;
    return { clock, answers, authenticator, next };
  }

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test.each<[string, () => Promise<string>]>([
    ["hangs", () => new Promise(() => undefined)],
    ["cannot be reached", () => Promise.reject(new Fault("unreachable", "no route"))],
    ["has no time", () => Promise.reject(new Fault("throttled", "slow down"))],
    ["times out", () => Promise.reject(new Fault("timeout", "no answer"))],
  ])("is used while its origin %s, which is asked again every half a minute", async (_how, answer) => {
    const { clock, answers, next } = openLasting();
    await next();
    answers.next = answer;
    for (const [at, reads] of [
      [minuteMs, 2],
      [minuteMs + 29_999, 2],
      [minuteMs + 30_000, 3],
      [10 * minuteMs - 1, 4],
    ] as const) {
      clock.now = at;
      const found = next();
      await jest.advanceTimersByTimeAsync(1_100);
      expect([await found, answers.reads]).toEqual(["first", reads]);
    }
    answers.next = () => Promise.resolve("second");
    clock.now = 11 * minuteMs;
    expect(await next()).toBe("second");
  });

  test("is used no longer than that", async () => {
    const { clock, answers, next } = openLasting();
    await next();
    answers.next = () => Promise.reject(new Fault("unreachable", "no route"));
    clock.now = 10 * minuteMs;
    await expect(next()).rejects.toThrow("no route");
  });

  test.each<[string, Error]>([
    ["it is gone", new Fault("notFound", "no such secret")],
    ["it is forbidden", new Fault("forbidden", "not allowed")],
    ["it is for another endpoint", new Fault("badEntry", "another endpoint")],
    ["something unexpected", new TypeError("a bug")],
  ])("is not used once its origin says: %s", async (_what, error) => {
    const { clock, answers, next } = openLasting();
    await next();
    answers.next = () => Promise.reject(error);
    clock.now = minuteMs;
    await expect(next()).rejects.toBe(error);
  });

  test("is not used once a server refused it", async () => {
    const { answers, authenticator, next } = openLasting();
    authenticator.invalidate(await authenticator.credential(noLimit()));
    answers.next = () => Promise.reject(new Fault("timeout", "no answer"));
    await expect(next()).rejects.toThrow("no answer");
  });
});

describe("a request with a renewed credential", () => {
  const refused = { refused: () => "refused twice" };

  test.each<[string, readonly CredentialAttempt<string>[], string, number]>([
    ["an answer at once", [{ value: "answer" }], "answer", 1],
    ["an answer after the renewal", [refused, { value: "answer" }], "answer", 2],
    ["a second refusal", [refused, refused, { value: "never" }], "refused twice", 2],
    ["a broken connection keeps the credential", ["again", "again", { value: "answer" }], "answer", 1],
    ["a broken connection between two refusals", [refused, "again", refused], "refused twice", 2],
  ])("%s", async (_, attempts, expected, reads) => {
    const { authenticator, reads: read } = open();
    const credentials: object[] = [];
    const result = withRenewal(authenticator, noLimit(), (credential) => {
      credentials.push(credential);
      return Promise.resolve(attempts[credentials.length - 1] ?? { value: "too many" });
    });
    expect(await result).toBe(expected);
    expect(new Set(credentials).size).toBe(reads);
    expect(read).toEqual([false, true].slice(0, reads));
  });
});
