// Mutation testing of the protocol and the table: `npm run test:mutation -- stryker.sync.config.mjs`, or one file with
// `--mutate lib/sync/act/act.ts` added. The simulator's planted bugs (`npm run test:faults -- --planted`) are the
// mutants that matter most; these are all the others. docs/mutation.md has the result.
import core, { testFiles } from "./stryker.config.mjs";

/**
 * Left out: what waits in real time, what needs a child with a small heap or a server, thousands of HPAs, a crash or a
 * lost answer at every call, days of random stories.
 */
const leftOut = new RegExp(
  `/(${[
    ...["isolation", "stories", "fair-shares", "many-hpas", "crashes", "lost-answers"],
    ...["load-memory", "misbehaving-server", "embedded-table", "store", "watch-entries", "newer-format"],
  ].join("|")})\\.test\\.ts$`,
);

/** A mutant meets the tests of its own folder first, and the first that fails ends its run. */
const direct = ["act", "events", "observe", "plan", "turn"].map((room) => `test/sync/${room}`);
const files = new Set([
  ...testFiles([...direct, "test/table", "test/sync"], leftOut),
  "test/faults/memory-table.test.ts", // the contract of the Store
]);

export default {
  ...core,
  bundledTests: { files: [...files] },
  mutate: ["lib/sync/**/*.ts", "lib/table/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-sync.html" },
  jsonReporter: { fileName: "reports/mutation-sync.json" },
  thresholds: { high: 90, low: 80, break: null },
};
