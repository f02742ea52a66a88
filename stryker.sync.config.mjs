// Mutation testing of the protocol and the table: `npm run test:mutation -- stryker.sync.config.mjs`, or one file with
// `--mutate lib/sync/act/act.ts` added. The simulator's planted bugs (`npm run test:faults -- --planted`) are the
// mutants that matter most; these are all the others. docs/mutation.md has the result.
import core, { testFiles } from "./stryker.config.mjs";

/** Left out: what waits in real time, or needs a server or a child with a small heap. */
const leftOut =
  /\/(misbehaving-server|embedded-table|store|watch-entries|newer-format|many-hpas|fair-shares|large-texts)\.test\.ts$/;

/**
 * The tests of single parts. Whole syncs (test/sync/*.test.ts) would notice more, but each mutant would cost seconds.
 * The first test that fails ends a mutant's run, so the slow contract of the Store comes last.
 */
const parts = ["act", "events", "limits", "observe", "plan", "turn"].map((room) => `test/sync/${room}`);
const files = [...testFiles([...parts, "test/table"], leftOut), "test/faults/memory-table.test.ts"];

export default {
  ...core,
  bundledTests: { files },
  mutate: ["lib/sync/**/*.ts", "lib/table/**/*.ts"],
  htmlReporter: { fileName: "reports/mutation-sync.html" },
  jsonReporter: { fileName: "reports/mutation-sync.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
