// A test runner for Stryker. It compiles the tests and what they test once, and evaluates that bundle for each mutant,
// in one process. So a mutant costs what the tests that reach it cost, and no loading of modules by Jest. Each file of
// tests has modules of its own. The likeliest to notice runs first, and the first test that fails ends the run.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { PluginKind, commonTokens, declareClassPlugin, tokens } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { expect } from "expect";
import { ModuleMocker } from "jest-mock";
import { bundledTests } from "./mutation-bundle.mjs";
import { cpuMs, watchCpuTime } from "./mutation-cpu-time.mjs";
import { likelyTests } from "./mutation-likely-tests.mjs";

/** Where instrumented code looks for the active mutant, and counts what it covers. */
const stryker = (globalThis.__stryker__ ??= {});

/**
 * Of the event loop's time (test/time/loop-time.ts), beside five times what the test file takes: a mutant that waits
 * ends. On a busy machine, a short turn of the loop counts as up to 10 ms, so work takes several times its CPU time.
 */
const testTimeoutMs = 5_000;
/** The first run judges nothing. This is for a test that waits without a mutant. */
const firstTestTimeoutMs = 120_000;
/** What the first run measured of each test file, for the processes that follow one that had to be ended. */
const measuredFile = "mutation-runner.json";
/** Which mutant had to be ended: it took the process with it. */
const endedFile = "mutation-runner-ended.txt";
/** Of CPU time, beside five times what the test file takes: a busy machine ends no mutant, and a loop costs little. */
const mostCpuMs = 5_000;
/** A test file that reaches a mutant so many times as often as without it runs in a loop that never ends. */
const mostTimesAsOften = 20;

class BundledTests {
  static inject = tokens(commonTokens.options);

  constructor({ bundledTests }) {
    this.files = bundledTests.files;
    /** A part of each name of a test that waits for seconds. */
    this.leftOut = bundledTests.leftOut ?? [];
    this.testTimeoutMs = bundledTests.testTimeoutMs ?? testTimeoutMs;
    this.likely = likelyTests(bundledTests);
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    this.evaluate = await bundledTests(this.files);
    this.evaluate();
    // Takes the loop's setTimeout, which is there now.
    this.circus = await import("jest-circus");
    const { describe, test, it, beforeAll, beforeEach, afterAll, afterEach } = this.circus;
    Object.assign(globalThis, { describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect });
    globalThis.jest = new ModuleMocker(globalThis);
    this.circus.addEventHandler((event) => this.#onEvent(event));
    this.watch = watchCpuTime(endedFile);
    this.measured = existsSync(measuredFile) ? JSON.parse(readFileSync(measuredFile, "utf8")) : undefined;
    process.on("uncaughtException", (error) => {
      const { currentlyRunningTest, unhandledErrors } = this.circus.getState();
      (currentlyRunningTest?.errors ?? unhandledErrors).push([error, error]);
    });
  }

  async dryRun() {
    stryker.mutantCoverage = { static: {}, perTest: {} };
    const { mutantCoverage } = stryker;
    const ms = {};
    const result = await this.#runAll(this.files, {
      isCovering: true,
      onRun: (block, took) => {
        shareCoverageOfHooks(mutantCoverage.perTest, block);
        ms[this.run.file] = took;
      },
    });
    this.measured = { ms: msByTest(result.tests ?? [], ms), hits: hitsByFile(this.files, mutantCoverage.perTest) };
    writeFileSync(measuredFile, JSON.stringify(this.measured));
    stryker.mutantCoverage = undefined;
    stryker.currentTestId = undefined;
    return { ...result, mutantCoverage };
  }

  async mutantRun({ activeMutant, sandboxFileName, testFilter, hitLimit, disableBail }) {
    // Stryker runs a mutant again in a new process when the first one ends.
    if (existsSync(endedFile) && readFileSync(endedFile, "utf8") === activeMutant.id)
      return { status: MutantRunStatus.Timeout, reason: `more than ${mostCpuMs} ms of CPU time` };
    stryker.activeMutant = activeMutant.id;
    try {
      const mutated = relative(process.cwd(), sandboxFileName);
      const only = new Set(testFilter ?? Object.keys(this.measured.ms));
      const files = this.likely.choose(mutated, this.#costs(testFilter));
      const first = this.likely.first(mutated, only);
      for (const test of first) only.delete(test);
      let result;
      for (const tests of [first, only]) {
        const theirs = files.filter((file) => [...tests].some((test) => test.startsWith(`${file} `)));
        result = await this.#runAll(theirs, { only: tests, isBailing: !disableBail, hitLimit });
        if (this.run?.failed !== undefined || result.status !== DryRunStatus.Complete) break;
      }
      if (this.run?.failed !== undefined) this.likely.noticed(mutated, this.run.file, this.run.failed);
      // Code that cannot even be loaded, or throws outside a test, does not go unnoticed.
      if (result.status === DryRunStatus.Error) return killed(result.errorMessage, testFilter);
      return toMutantRunResult(result, disableBail);
    } finally {
      stryker.activeMutant = undefined;
      this.watch.end();
    }
  }

  async #runAll(files, options) {
    const tests = [];
    this.run = undefined;
    for (const file of files) {
      const result = await this.#run(file, options);
      if (result.status !== DryRunStatus.Complete) return result;
      tests.push(...result.tests);
      if (options.isBailing && this.run.failed !== undefined) break;
    }
    return { status: DryRunStatus.Complete, tests };
  }

  /** Defines and runs the tests of a file: all of them, or `only` these. */
  async #run(file, { only, isBailing = false, isCovering = false, hitLimit, onRun = () => undefined }) {
    const { circus } = this;
    stryker.hitCount = hitLimit === undefined ? undefined : 0;
    stryker.hitLimit = Math.min(hitLimit, mostTimesAsOften * this.#hits(file) + 1_000);
    const before = cpuMs();
    const more = 5 * (this.#costs(only).get(file) ?? 0);
    // Of each test and hook. Jest's tests of the file read it when they begin.
    globalThis[Symbol.for("TEST_TIMEOUT_SYMBOL")] = isCovering ? firstTestTimeoutMs : this.testTimeoutMs + more;
    if (!isCovering) this.watch.begin(stryker.activeMutant, mostCpuMs + more);
    circus.resetState();
    this.run = { file, isBailing, isCovering, failed: undefined };
    // What loading the modules covers, all tests of the file cover.
    if (isCovering) stryker.currentTestId = `hooks of ${file}`;
    try {
      circus.describe(file, () => void this.evaluate()[file]());
    } catch (error) {
      return { status: DryRunStatus.Error, errorMessage: String(error) };
    }
    const root = circus.getState().rootDescribeBlock;
    const isOurs = (id) => only?.has(id) ?? !this.leftOut.some((part) => id.includes(part));
    skipOthers(root, isOurs);
    const { testResults, unhandledErrors } = await circus.run();
    onRun(root, cpuMs() - before);
    const timeout = determineHitLimitReached(stryker.hitCount, stryker.hitLimit);
    if (timeout !== undefined) return timeout;
    if (unhandledErrors.length > 0) return { status: DryRunStatus.Error, errorMessage: unhandledErrors.join("\n") };
    return { status: DryRunStatus.Complete, tests: testResults.map(resultOf) };
  }

  /** The test files that have one of these tests, with the CPU time that the tests take; undefined: all. */
  #costs(testIds) {
    const ms = this.measured?.ms ?? {};
    const costs = testIds === undefined ? new Map(this.files.map((file) => [file, 0])) : new Map();
    for (const id of testIds ?? Object.keys(ms)) {
      const file = id.slice(0, id.indexOf(" "));
      costs.set(file, (costs.get(file) ?? 0) + (ms[id] ?? 0));
    }
    return costs;
  }

  /** How often the tests of the file reach the active mutant, when no mutant is active. */
  #hits(file) {
    return this.measured?.hits[file]?.[stryker.activeMutant] ?? Infinity;
  }

  #onEvent({ name, test, hook }) {
    const { run } = this;
    if (name === "test_start") {
      if (run.isBailing && run.failed !== undefined) test.mode = "skip";
      else if (run.isCovering) stryker.currentTestId = idOf(test);
    }
    if (name === "test_done" && test.errors.length > 0) run.failed ??= idOf(test);
    // What runs between two tests counts as the first one's.
    if (run.isCovering && name === "hook_start" && hook.type.endsWith("All"))
      stryker.currentTestId = hookOf(hook.parent);
  }
}

function killed(failureMessage, killedBy = []) {
  return { status: MutantRunStatus.Killed, failureMessage, killedBy, nrOfTests: killedBy.length };
}

/** @returns whether the block has a test to run. Its hooks run only then. */
function skipOthers(block, isOurs) {
  let isReached = false;
  for (const child of block.children) {
    const isToRun = child.type === "test" ? isOurs(idOf(child)) : skipOthers(child, isOurs);
    if (!isToRun) child.mode = "skip";
    isReached ||= isToRun;
  }
  return isReached;
}

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

/** The CPU time of a test file, shared by how long each of its tests took. */
function msByTest(tests, byFile) {
  const took = ({ timeSpentMs }) => timeSpentMs + 1;
  const sums = new Map();
  for (const test of tests) sums.set(test.fileName, (sums.get(test.fileName) ?? 0) + took(test));
  return Object.fromEntries(
    tests.map((test) => [test.id, (byFile[test.fileName] * took(test)) / sums.get(test.fileName)]),
  );
}

/** By test file and mutant. */
function hitsByFile(files, perTest) {
  const hits = Object.fromEntries(files.map((file) => [file, {}]));
  for (const [id, counts] of Object.entries(perTest)) {
    const own = hits[id.slice(0, id.indexOf(" "))];
    for (const [mutant, count] of Object.entries(counts)) own[mutant] = (own[mutant] ?? 0) + count;
  }
  return hits;
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
