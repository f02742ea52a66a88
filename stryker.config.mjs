// Mutation testing of the decision: `npm run test:mutation`, or one file with `npm run test:mutation -- --mutate
// lib/core/gate.ts`. What explains it has slow tests and a run of its own: stryker.explain.config.mjs. The results:
// bench/results/mutation.md
import { readdirSync } from "node:fs";

/** The test files in these folders, without those whose names match. */
export function testFiles(folders, leftOut) {
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith(".test.ts") && !leftOut.test(file));
}

const slow =
  /\/(decisions|stories|recorded-events|properties|history\.property|rules\.property|digest|forecast)\.test\.ts$/;

export default {
  testRunner: "bundled",
  plugins: ["./scripts/mutation-runner.mjs"],
  // The recorded vectors and the property tests would make each mutant cost seconds. The tables have to notice it.
  bundledTests: { files: testFiles(["test/core"], slow) },
  mutate: ["lib/core/**/*.ts", "!lib/core/explain/**"],
  coverageAnalysis: "perTest",
  warnings: { unknownOptions: false, slow: false },
  concurrency: 2,
  // The runner ends a loop by its CPU time. This is for a process that does nothing at all, also on a busy machine.
  timeoutMS: 300_000,
  dryRunTimeoutMinutes: 60,
  ignorePatterns: ["dist", ".cache", ".ebb", ".serverless", "coverage", "reports", "test/e2e", "infra"],
  reporters: ["clear-text", "progress-append-only", "html", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  htmlReporter: { fileName: "reports/mutation.html" },
  jsonReporter: { fileName: "reports/mutation.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
