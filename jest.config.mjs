import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import "./scripts/quiet-aws-sdk.mjs";

// What the test files of this run write down for its end (test/canaries/run-record.ts). The tests' workers inherit it.
process.env.EBB_TEST_RECORD = join(tmpdir(), `ebb-test-record-${process.pid}.jsonl`);

const setupFiles = ["time/loop-time", "compile-once", "release-contexts", "plain-contexts", "one-realm"];

// The e2e suites need real servers and run through `npm run test:e2e` (jest.e2e.config.mjs). Those in test/faults
// run through `npm run test:faults` (jest.faults.config.mjs).
export default {
  testEnvironment: "<rootDir>/test/one-graph/environment.cjs",
  runtime: "<rootDir>/test/one-graph/runtime.cjs",
  // Jest looks up each global in its realm, which took a fifth of all CPU time. These become parameters of each module.
  // Not in the list: what fake timers replace, and what a package declares for itself (Buffer, Set, process).
  sandboxInjectedGlobals: [
    ...["Array", "BigInt", "Error", "JSON", "Map", "Math", "Number"],
    ...["Object", "Promise", "Reflect", "String", "Symbol", "Uint8Array"],
  ],
  setupFiles: setupFiles.map((file) => `<rootDir>/test/${file}.ts`),
  // Nothing that any suite writes may hold a secret.
  setupFilesAfterEnv: [
    "canaries/setup",
    ...(process.env.EBB_TEST_STALLS === undefined ? [] : ["time/stalls"]),
    ...(process.env.EBB_TEST_REQUESTS === undefined ? [] : ["aws-checks/record-requests"]),
  ].map((file) => `<rootDir>/test/${file}.ts`),
  globalTeardown: "<rootDir>/test/canaries/search-the-run.ts",
  // Jest's 5 s of wall time are too few for a hook on a machine that is busy with something else.
  testTimeout: 60_000,
  // Two more than cores: a process waits for timers, children or a socket of its tests for a third of a run.
  maxWorkers: availableParallelism() + 2,
  // Giving back 1 GB takes a process more than half a second, after which Jest calls it stuck.
  workerGracefulExitTimeout: 10_000,
  testSequencer: "<rootDir>/test/longest-first.mjs",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  testPathIgnorePatterns: [
    "/node_modules/",
    "<rootDir>/test/e2e/",
    "<rootDir>/test/aws-checks/",
    "<rootDir>/test/faults/",
  ],
  modulePathIgnorePatterns: ["<rootDir>/.stryker-tmp/", "<rootDir>/dist/", "<rootDir>/.cache/"],
  // As in the bundles. Its other files take a process 0.3 s of CPU time.
  moduleNameMapper: { "^\\./gen/index\\.js$": "<rootDir>/scripts/kubeconfig-parts.mjs" },
  transform: {
    "^.+\\.(ts|mts|js|mjs)$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // ESM-only packages are compiled like our own code, so that no experimental flag of node is needed.
  transformIgnorePatterns: [
    "/node_modules/(?!(@kubernetes/client-node|openid-client|oauth4webapi|jose|socks-proxy-agent|http-proxy-agent|https-proxy-agent|agent-base|@middy|@bomb.sh|typebox|fast-string-width|fast-string-truncated-width)/)",
  ],
};
