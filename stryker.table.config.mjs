// Mutation testing of the table: `npm run test:mutation -- stryker.table.config.mjs`.
// bench/results/mutation.md
import { testFiles } from "./stryker.config.mjs";
import sync from "./stryker.sync.config.mjs";

/** Left out: what waits in real time, or needs a server or a child with a small heap. */
const leftOut = /\/(misbehaving-server|embedded-table|store|watch-entries|newer-format|large-texts)\.test\.ts$/;

/** Megabytes, each of whose bytes costs many times as much in instrumented code. */
const tooManyBytes = [
  "bounds what an item unpacks to",
  "more keys than a shard can have",
  "an index that names more HPAs than a shard",
  "the same keys as parsing finds",
  "as many as are read are also written",
  "more JSON than a reader takes",
];

const files = [
  ...testFiles(["test/table", "test/sync/wake", "test/sync/limits", "test/sync/upgrade", "test/sync/history"], leftOut),
  "test/faults/memory-table.test.ts",
];

export default {
  ...sync,
  bundledTests: { ...sync.bundledTests, files, leftOut: tooManyBytes },
  mutate: ["lib/table/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-table.html" },
  jsonReporter: { fileName: "reports/mutation-table.json" },
};
