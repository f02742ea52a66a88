import { renewing } from "../../lib/net/credential";
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
