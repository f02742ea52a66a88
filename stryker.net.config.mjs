// Mutation testing of the HTTP client under clusters and sources: `npm run test:mutation -- stryker.net.config.mjs`.
// bench/results/mutation.md
import core, { testFiles } from "./stryker.config.mjs";

export default {
  ...core,
  bundledTests: {
    files: [
      ...testFiles(["test/net", "test/sources/network"], /^$/),
      ...["api/api-client", "api/list-objects", "transport", "tls", "clusters"].map(
        (name) => `test/cluster/${name}.test.ts`,
      ),
      "test/sources/http/http.test.ts",
    ],
  },
  mutate: ["lib/net/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-net.html" },
  jsonReporter: { fileName: "reports/mutation-net.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
