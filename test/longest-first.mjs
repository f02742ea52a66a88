import Sequencer from "@jest/test-sequencer";

/**
 * Suites that take long, the longest first. Jest remembers durations in its cache. Without a cache it goes by sizes of
 * files: it would start small files that take long last, and wait for them with all other processes idle. A suite that
 * mostly waits follows one that computes, so that few wait at the same time.
 */
const longest = [
  "test/stories/one-hpa.test.ts",
  "test/local/start.test.ts",
  "test/aws/lies/lies.test.ts",
  "test/cluster/memory/memory.test.ts",
  "test/table/store.test.ts",
  "test/sync/isolation.test.ts",
  "test/faults/memory-table.test.ts",
  "test/canaries/canaries.test.ts",
  "test/table/load-memory/load-memory.test.ts",
  "test/sync/limits/many-hpas.test.ts",
  "test/sources/redis/redis.test.ts",
  "test/local/kubernetes/cluster-contract.test.ts",
  "test/local/wake.test.ts",
  "test/cli/process.test.ts",
  "test/sources/postgresql/postgresql.test.ts",
  "test/cli/completion.test.ts",
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = longest.findIndex((suite) => path.endsWith(`/${suite}`));
      return index === -1 ? longest.length : index;
    };
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
