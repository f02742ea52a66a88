// Mutation testing of the decision: `npm run test:mutation`, or some files with `npx stryker run --mutate lib/core/gate.ts`.
// The tables alone have to notice; the recorded vectors and the property tests would make every mutant cost seconds.
import jest from "./jest.config.mjs";

export default {
  testRunner: "jest",
  jest: {
    projectType: "custom",
    config: {
      ...jest,
      testMatch: ["<rootDir>/test/core/*.test.ts"],
      testPathIgnorePatterns: [
        ...jest.testPathIgnorePatterns,
        "/test/core/(decisions|stories|properties|history\\.property)\\.test\\.ts$",
      ],
    },
  },
  // situation.ts and state.ts are types only.
  mutate: ["lib/core/**/*.ts", "!lib/core/situation.ts", "!lib/core/state.ts"],
  coverageAnalysis: "perTest",
  concurrency: 2,
  timeoutMS: 20_000,
  ignorePatterns: ["dist", ".cache", ".ebb", ".serverless", "coverage", "reports", "test/e2e", "local", "infra"],
  reporters: ["clear-text", "html"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  htmlReporter: { fileName: "reports/mutation.html" },
  thresholds: { high: 95, low: 90, break: 90 },
};
