// A test runner for Stryker. It compiles the tests and what they test once, and evaluates that bundle for each mutant,
// in one process. So a mutant costs what the tests that reach it cost, and no loading of modules by Jest.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import vm from "node:vm";
import { PluginKind, commonTokens, declareClassPlugin, tokens } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { build } from "esbuild";
import { expect } from "expect";
import * as circus from "jest-circus";

/** Where instrumented code looks for the active mutant, and counts what it covers. */
const stryker = (globalThis.__stryker__ ??= {});

/** As jest.config.mjs. */
const testTimeoutMs = 60_000;

class BundledTests {
  static inject = tokens(commonTokens.options);

  constructor({ bundledTests }) {
    this.files = bundledTests.files;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const { describe, test, it, beforeAll, beforeEach, afterAll, afterEach } = circus;
    Object.assign(globalThis, { describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect });
    globalThis[Symbol.for("TEST_TIMEOUT_SYMBOL")] = testTimeoutMs;
    circus.addEventHandler((event) => this.#onEvent(event));
    this.evaluate = await compiled(this.files);
  }

  async dryRun({ coverageAnalysis }) {
    stryker.mutantCoverage = { static: {}, perTest: {} };
    const mutantCoverage = stryker.mutantCoverage;
    const result = await this.#run({ isCovering: coverageAnalysis === "perTest" });
    stryker.mutantCoverage = undefined;
    shareCoverageOfHooks(mutantCoverage.perTest, circus.getState().rootDescribeBlock);
    return { ...result, mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation, disableBail }) {
    stryker.hitLimit = hitLimit;
    stryker.hitCount = hitLimit === undefined ? undefined : 0;
    const activate = () => (stryker.activeMutant = activeMutant.id);
    try {
      if (mutantActivation === "static") activate();
      const result = await this.#run({ only: testFilter && new Set(testFilter), isBailing: !disableBail, activate });
      // Code that cannot even be loaded, or throws outside a test, does not go unnoticed.
      if (result.status === DryRunStatus.Error) return killed(result.errorMessage, testFilter);
      return toMutantRunResult(result, disableBail);
    } finally {
      stryker.activeMutant = undefined;
    }
  }

  /** Defines and runs the tests: all of them, or `only` these. */
  async #run({ only, isBailing = false, isCovering = false, activate = () => undefined }) {
    circus.resetState();
    const isReached = (file) => only === undefined || [...only].some((id) => id.startsWith(`${file} `));
    try {
      for (const [file, load] of Object.entries(this.evaluate())) {
        if (isReached(file)) circus.describe(file, () => void load());
      }
    } catch (error) {
      return { status: DryRunStatus.Error, errorMessage: String(error) };
    }
    if (only !== undefined) skipOthers(circus.getState().rootDescribeBlock, only);
    this.run = { isBailing, isCovering, hasFailed: false };
    activate();
    const { testResults, unhandledErrors } = await circus.run();
    const timeout = determineHitLimitReached(stryker.hitCount, stryker.hitLimit);
    if (timeout !== undefined) return timeout;
    if (unhandledErrors.length > 0) return { status: DryRunStatus.Error, errorMessage: unhandledErrors.join("\n") };
    return { status: DryRunStatus.Complete, tests: testResults.map(resultOf) };
  }

  #onEvent({ name, test, hook }) {
    const { run } = this;
    if (name === "test_start") {
      if (run.isBailing && run.hasFailed) test.mode = "skip";
      else if (run.isCovering) stryker.currentTestId = idOf(test);
    }
    if (name === "test_done") {
      stryker.currentTestId = undefined;
      run.hasFailed ||= test.errors.length > 0;
    }
    if (hook?.type.endsWith("All")) stryker.currentTestId = name === "hook_start" ? hookOf(hook.parent) : undefined;
  }
}

function killed(failureMessage, killedBy = []) {
  return { status: MutantRunStatus.Killed, failureMessage, killedBy, nrOfTests: killedBy.length };
}

/** Whether the block has a test to run. Its hooks run only then. */
function skipOthers(block, only) {
  let isReached = false;
  for (const child of block.children) {
    const isOurs = child.type === "test" ? only.has(idOf(child)) : skipOthers(child, only);
    if (!isOurs) child.mode = "skip";
    isReached ||= isOurs;
  }
  return isReached;
}

/** Evaluates to one loader a test file. */
async function compiled(files) {
  const root = process.cwd(); // Stryker's copy of the project, with the mutants
  const entries = files.map((file) => `${JSON.stringify(file)}: () => require(${JSON.stringify(`./${file}`)})`);
  const { outputFiles } = await build({
    stdin: { contents: `module.exports = { ${entries.join(",\n")} };`, resolveDir: root, loader: "js" },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    packages: "external",
    logLevel: "error",
    plugins: [ownFolder],
  });
  const source = `(function (require, module) {${outputFiles[0].text}\nreturn module.exports; })`;
  const run = new vm.Script(source, { filename: "tests.cjs" }).runInThisContext();
  const require = createRequire(`${root}/package.json`);
  return () => run(require, { exports: {} });
}

/** Tests find their data beside themselves. */
const ownFolder = {
  name: "own-folder",
  setup({ onLoad }) {
    onLoad({ filter: /\/test\/.*\.ts$/ }, async ({ path }) => {
      const contents = await readFile(path, "utf8");
      return { contents: `const __dirname = ${JSON.stringify(dirname(path))};\n${contents}`, loader: "ts" };
    });
  },
};

const hookOf = (block) => `hooks of ${idOf(block)}`;

/** What beforeAll and afterAll cover, each test of their block covers. */
function shareCoverageOfHooks(perTest, block, inherited = []) {
  const own = perTest[hookOf(block)];
  delete perTest[hookOf(block)];
  const covered = own === undefined ? inherited : [...inherited, own];
  for (const child of block.children) {
    if (child.type === "describeBlock") shareCoverageOfHooks(perTest, child, covered);
    else for (const counts of covered) perTest[idOf(child)] = { ...counts, ...perTest[idOf(child)] };
  }
}

function idOf(test) {
  const names = [];
  for (let one = test; one.parent !== undefined; one = one.parent) names.unshift(one.name);
  return names.join(" ");
}

function resultOf({ testPath, status, errors, duration }) {
  const [, ...names] = testPath;
  const result = { id: names.join(" "), name: names.join(" "), fileName: names[0], timeSpentMs: duration ?? 0 };
  if (errors.length > 0) return { ...result, status: TestStatus.Failed, failureMessage: errors.join("\n") };
  return { ...result, status: status === "done" ? TestStatus.Success : TestStatus.Skipped };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "bundled", BundledTests)];
