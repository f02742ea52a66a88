// Mutation testing of the protocol and the table: `npm run test:mutation -- stryker.sync.config.mjs`, or one file with
// `--mutate lib/sync/scale/act.ts` added. The simulator's planted bugs (`npm run test:faults -- --planted`) are the
// mutants that matter most; these are all the others. bench/results/mutation.md has the result.
import core, { testFiles } from "./stryker.config.mjs";

/** Left out: what waits in real time, or needs a server or a child with a small heap; and what takes seconds. */
const leftOut =
  /\/(misbehaving-server|embedded-table|store|watch-entries|newer-format|large-texts|own-periods\.property)\.test\.ts$/;

/** Megabytes, each of whose bytes costs many times as much in instrumented code. */
const tooManyBytes = ["bounds what an item unpacks to", "more keys than a shard can have"];

const files = [
  ...testFiles(["test/sync", "test/table"], leftOut),
  "test/functions/wake.test.ts",
  "test/faults/memory-table.test.ts",
];

export default {
  ...core,
  bundledTests: { files, leftOut: tooManyBytes, mostFiles: 10, testTimeoutMs: 2_000 },
  timeoutFactor: 0.25,
  mutate: ["lib/sync/**/*.ts", "lib/table/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-sync.html" },
  jsonReporter: { fileName: "reports/mutation-sync.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
