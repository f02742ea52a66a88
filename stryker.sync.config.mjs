// Mutation testing of the protocol: `npm run test:mutation -- stryker.sync.config.mjs`, or one file with
// `--mutate lib/sync/scale/act.ts` added. The simulator's planted bugs (`npm run test:faults -- --planted`) are the
// mutants that matter most; these are all the others. bench/results/mutation.md has the result.
import core, { testFiles } from "./stryker.config.mjs";

const rooms = ["sync", "readings", "scheduler", "poller"];

/** Left out: what takes seconds. */
const leftOut = /\/(large-texts|own-periods\.property|stale-counts)\.test\.ts$/;

/** Most mutants of the protocol are reached by all whole syncs: the likeliest, of 1.5 s of CPU time, judge each. */
export default {
  ...core,
  bundledTests: {
    files: [
      ...testFiles(
        rooms.map((room) => `test/${room}`),
        leftOut,
      ),
      "test/functions/wake.test.ts",
    ],
    mostMs: 1_500,
    testTimeoutMs: 2_000,
    // Each takes as long as the other tests of its file together, which then would not run.
    leftOut: [
      "a log stays small after any sequence",
      "written once in ten minutes",
      "the shard says how many there are",
    ],
  },
  mutate: rooms.map((room) => `lib/${room}/**/*.ts`),
  htmlReporter: { fileName: "reports/mutation-sync.html" },
  jsonReporter: { fileName: "reports/mutation-sync.json" },
};
