// Mutation testing of the sources: `npm run test:mutation -- stryker.sources.config.mjs`.
// bench/results/mutation.md
import core, { testFiles } from "./stryker.config.mjs";

/** Left out: what needs the stack, and what tests the doubles of the tests. */
const leftOut = /\/(kinds|fake-cloudwatch)\.test\.ts$/;

export default {
  ...core,
  bundledTests: {
    files: [...testFiles(["test/sources"], leftOut), "test/cli/import-keda.test.ts"],
    // All kinds read through the clients of lib/sources/network.
    mostFiles: 6,
    mostMs: 1_500,
    always: ["test/sources/fields/described-fields.test.ts"], // all texts of all kinds, in some milliseconds
    testTimeoutMs: 3_000,
    // Waits for a second, or does a thing a thousand times.
    leftOut: ["a lying server that sends", "use few connections", "nor do five such HPAs"],
  },
  mutate: ["lib/sources/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-sources.html" },
  jsonReporter: { fileName: "reports/mutation-sources.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
