"use strict";
const { TestEnvironment } = require("jest-environment-node");

/**
 * One realm for the test files of a process, so that they can share modules (runtime.cjs). What a file changes in it is
 * put back after the file. A file that begins with `@jest-environment node` has a realm and modules of its own.
 */
class SharedEnvironment extends TestEnvironment {
  isShared = true;

  constructor(config, context) {
    super(config, context);
    const { env, exit } = this.global.process;
    this.before = { env: { ...env }, exit };
    this.fakeTimersModern.useFakeTimers = () => {
      throw new Error("the next test file would find them in modules. Begin with /** @jest-environment node */");
    };
  }

  async teardown() {
    const { process } = this.global;
    const { env, exit } = this.before;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exit = exit;
    // Where `jest.setTimeout` keeps its number.
    delete this.global[Symbol.for("TEST_TIMEOUT_SYMBOL")];
  }
}

let shared;

module.exports = function openEnvironment(config, context) {
  const { watch, watchAll } = config.globalConfig;
  // The watcher runs files again in this process, after their modules have changed.
  if (watch || watchAll) return new TestEnvironment(config, context);
  return (shared ??= new SharedEnvironment(config, context));
};
