import Sequencer from "@jest/test-sequencer";

/**
 * Suites that take long, the longest first. Jest remembers durations in its cache. Without a cache it goes by sizes of
 * files: it would start small files that take long last, and wait for them with all other processes idle. A suite that
 * mostly waits follows one that computes, so that few wait at the same time.
 */
const longest = [
  "test/faults/parts/one-hpa.test.ts",
  "test/faults/small-heap/aws/aws.test.ts",
  "test/faults/small-heap/cluster/cluster.test.ts",
  "test/local/start.test.ts",
  "test/canaries/canaries.test.ts",
  "test/cli/process.test.ts",
  "test/table/store.test.ts",
  "test/faults/syncs/isolation.test.ts",
  "test/faults/syncs/many-hpas.test.ts",
  "test/cli/many-names.test.ts",
  "test/cli/get.test.ts",
  "test/lint/boundaries.test.ts",
  "test/model/check/check-schema.test.ts",
  "test/faults/syncs/crashes.test.ts",
  "test/faults/syncs/lost-answers.test.ts",
  "test/core/decisions.test.ts",
  "test/package/archive.test.ts",
  "test/local/backends/kubernetes/cluster-contract.test.ts",
  "test/sources/redis/redis.test.ts",
  "test/cli/edit.test.ts",
  "test/core/stories.test.ts",
  "test/core/explain/digest.test.ts",
  "test/local/wake.test.ts",
  "test/core/history.property.test.ts",
  "test/sources/postgresql/postgresql.test.ts",
  "test/sources/kafka/kafka.test.ts",
  "test/sources/cloudwatch/cloudwatch.test.ts",
  "test/aws/http/json-client.test.ts",
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
