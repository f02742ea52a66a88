import { AsyncLocalStorage, executionAsyncId } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";

test("a promise of a test belongs to no resource of its own, until something else follows promises", async () => {
  await setImmediate();
  const before = executionAsyncId();
  await Promise.resolve();
  expect(executionAsyncId()).toBe(before);
  await new AsyncLocalStorage().run("followed", async () => {
    await Promise.resolve();
    if (Number(process.versions.node.split(".")[0]) < 24) expect(executionAsyncId()).not.toBe(before);
  });
});

test("Jest knows which test runs", () => {
  const state = expect.getState() as { currentTestIdentity?: () => { name?: string } | undefined };
  expect(state.currentTestIdentity?.()?.name).toBe("Jest knows which test runs");
});

test("a context of the test's own follows its promises, beside Jest's", async () => {
  const own = new AsyncLocalStorage<{ readonly name: string }>();
  const names = await Promise.all(
    ["a", "b"].map((name) => own.run({ name }, () => setImmediate().then(() => own.getStore()?.name))),
  );
  expect(names).toEqual(["a", "b"]);
  expect(own.getStore()).toBeUndefined();
});
