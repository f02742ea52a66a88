// Mutation testing of lib/core/explain: `npm run test:mutation -- stryker.explain.config.mjs`. Its tests read recorded
// vectors, so they would make each mutant of the decision cost seconds.
import core, { testFiles } from "./stryker.config.mjs";

export default {
  ...core,
  bundledTests: { files: testFiles(["test/core/explain"], /^$/) },
  mutate: ["lib/core/explain/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-explain.html" },
  jsonReporter: { fileName: "reports/mutation-explain.json" },
  thresholds: { high: 95, low: 85, break: 85 },
};
