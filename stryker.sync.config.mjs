// Mutation testing of the protocol and the table: `npm run test:mutation -- stryker.sync.config.mjs`, or one file with
// `--mutate lib/sync/act/act.ts` added. The simulator's planted bugs (`npm run test:faults -- --planted`) are the
// mutants that matter most; these are all the others.
import core, { testFiles } from "./stryker.config.mjs";

export default {
  ...core,
  // Left out: what waits in real time, what needs a child with a small heap, thousands of HPAs, days of random stories.
  bundledTests: {
    files: testFiles(
      ["test/sync", "test/table"],
      /(isolation|stories|fair-shares|many-hpas|table\/faults|embedded-table|load-memory)\.test\.ts$/,
    ),
  },
  mutate: ["lib/sync/**/*.ts", "lib/table/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-sync.html" },
  jsonReporter: { fileName: "reports/mutation-sync.json" },
  thresholds: { high: 90, low: 80, break: null },
};
