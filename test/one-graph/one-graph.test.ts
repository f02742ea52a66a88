/** What `new` makes of jest.config.mjs's testEnvironment. */
interface Environment {
  readonly global: typeof globalThis & { process: NodeJS.Process };
  teardown(): Promise<void>;
}
// eslint-disable-next-line @typescript-eslint/no-require-imports
const Environment = require("./environment.cjs") as new (config: object, context: object) => Environment;

const opened = (globalConfig = {}) =>
  new Environment({ globalConfig, projectConfig: { globals: {}, testEnvironmentOptions: {}, fakeTimers: {} } }, {});

test("what a test file changes is as before for the next one, in the same realm", async () => {
  const first = opened();
  const { process } = first.global;
  const state = () => ({ env: { ...process.env }, exit: Reflect.get(process, "exit") as unknown });
  const before = state();
  const timeout = Symbol.for("TEST_TIMEOUT_SYMBOL");
  Object.assign(process.env, { PATH: "/nowhere", LEFT_BEHIND: "1" });
  process.exit = () => undefined as never;
  Object.assign(first.global, { [timeout]: 1 });
  await first.teardown();
  expect(opened()).toBe(first);
  expect(state()).toEqual(before);
  expect(first.global).not.toHaveProperty([timeout]);
});

test("the watcher runs each test file in a realm of its own", async () => {
  const [first, second] = [opened({ watch: true }), opened({ watch: true })];
  expect(first).not.toBe(second);
  await Promise.all([first.teardown(), second.teardown()]);
});

test.each([
  ["fake timers", () => jest.useFakeTimers()],
  ["mocks of modules", () => jest.doMock("node:dns")],
  ["mocks with a factory", () => jest.doMock("node:dns", () => ({}))],
])("%s ask for a realm of their own", (_name, use) => {
  expect(use).toThrow("@jest-environment node");
});
