// Mutation testing of the decision: `npm run test:mutation`, or one file with `npm run test:mutation -- --mutate
// lib/core/gate.ts`. docs/mutation.md has the result.
import { readdirSync } from "node:fs";

/** The test files in these folders, without those whose names match. */
export function testFiles(folders, leftOut) {
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith(".test.ts") && !leftOut.test(file));
}

/** They take seconds: of most mutants, a table has noticed before that something is wrong. */
const slow = /\/(digest|forecast|rules\.property|recorded-events|correlate-events)\.test\.ts$/;
const tables = testFiles(["test/core"], /\/(decisions|stories|properties|history\.property)\.test\.ts$/);
const files = [...tables.filter((file) => !slow.test(file)), ...tables.filter((file) => slow.test(file))];

export default {
  testRunner: "bundled",
  plugins: ["./scripts/mutation-runner.mjs"],
  // The recorded vectors and the property tests would make each mutant cost seconds. The tables have to notice it.
  bundledTests: { files },
  mutate: ["lib/core/**/*.ts"],
  coverageAnalysis: "perTest",
  warnings: { unknownOptions: false, slow: false },
  concurrency: 2,
  timeoutMS: 10_000,
  ignorePatterns: ["dist", ".cache", ".ebb", ".serverless", "coverage", "reports", "test/e2e", "infra"],
  reporters: ["clear-text", "progress-append-only", "html", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  htmlReporter: { fileName: "reports/mutation.html" },
  jsonReporter: { fileName: "reports/mutation.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
