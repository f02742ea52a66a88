// Mutation testing of the clusters: `npm run test:mutation -- stryker.cluster.config.mjs`.
// bench/results/mutation.md
import core, { testFiles } from "./stryker.config.mjs";

export default {
  ...core,
  bundledTests: {
    files: testFiles(["test/cluster"], /^$/),
    mostMs: 6_000, // every test of a cluster reads through the client of lib/cluster/api
    testTimeoutMs: 10_000,
  },
  mutate: ["lib/cluster/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-cluster.html" },
  jsonReporter: { fileName: "reports/mutation-cluster.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
