// Mutation testing of the protocol and the table: `npm run test:mutation -- stryker.sync.config.mjs`, or one file with
// `--mutate lib/sync/act/act.ts` added. The simulator's planted bugs (`npm run test:faults -- --planted`) are the
// mutants that matter most; these are all the others.
import core, { jest } from "./stryker.config.mjs";

export default {
  ...core,
  jest: {
    ...core.jest,
    config: {
      ...jest,
      roots: ["<rootDir>/lib", "<rootDir>/test"],
      testMatch: ["<rootDir>/test/sync/**/*.test.ts", "<rootDir>/test/table/**/*.test.ts"],
      // Real servers, and days of random stories: too slow for each mutant.
      testPathIgnorePatterns: ["/node_modules/", "isolation", "stories", "embedded-table"],
      watchman: false,
    },
  },
  mutate: ["lib/sync/**/*.ts", "lib/table/**/*.ts"],
  incrementalFile: "reports/mutation-sync-incremental.json",
  ignorePatterns: core.ignorePatterns.filter((folder) => folder !== "local"),
  htmlReporter: { fileName: "reports/mutation-sync.html" },
  jsonReporter: { fileName: "reports/mutation-sync.json" },
  thresholds: { high: 90, low: 80, break: null },
};
