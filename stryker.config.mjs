// Mutation testing of the decision: `npm run test:mutation`, or one file with `npx stryker run --mutate
// lib/core/gate.ts`. The tables alone have to notice a mutant (test/core/tables.ts says what is left out).
// docs/mutation.md has the result.
import config from "./jest.config.mjs";

/** A mutant is not searched for secrets: that is another suite's task. */
export const jest = { ...config, setupFilesAfterEnv: [], globalTeardown: null };

export default {
  testRunner: "jest",
  jest: {
    projectType: "custom",
    enableFindRelatedTests: false,
    config: {
      ...jest,
      roots: ["<rootDir>/lib", "<rootDir>/test/core"],
      testMatch: ["<rootDir>/test/core/tables.ts"],
      watchman: false,
    },
  },
  mutate: ["lib/core/**/*.ts"],
  coverageAnalysis: "perTest",
  concurrency: 2,
  timeoutMS: 10_000,
  incrementalFile: "reports/mutation-incremental.json",
  ignorePatterns: ["dist", ".cache", ".ebb", ".serverless", "coverage", "reports", "test/e2e", "local", "infra"],
  reporters: ["clear-text", "progress-append-only", "html", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  htmlReporter: { fileName: "reports/mutation.html" },
  jsonReporter: { fileName: "reports/mutation.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
