/** Where unit tests may use a clock, and why that is right on a busy machine. test/lint/real-clock.test.ts reads it. */
export interface ClockException {
  /** A file, or a folder that ends with "/", below test/. */
  readonly path: string;
  /** Parts of the lines. Without it, all lines. */
  readonly code?: readonly string[];
  readonly reason: string;
}

const neverAnswers = "The far end never answers, so the limit fires, however late. It counts in the loop's time.";
const loopTime = "In the loop's time: the far ends are in this process, and have a turn for each 10 ms of it.";
const virtual = "Virtual time: no clock runs.";

export const places: readonly ClockException[] = [
  { path: "time/", reason: "What makes the loop's time, stalls it, and tests both." },
  { path: "how-to/", reason: "Of e2e suites: they follow pages with a demo in processes of its own." },
  { path: "faults/world/", reason: virtual },
  { path: "faults/parts/settling.test.ts", reason: virtual },
  { path: "aws/http/connections.test.ts", code: ["answerMs: 5_000"], reason: virtual },
  { path: "async/within-time.test.ts", code: ['setTimeout(() => reject(new Error("get scale"))'], reason: virtual },
  { path: "cli/output.test.ts", code: ["const after = (ms: number)"], reason: virtual },
  {
    path: "faults/main.ts",
    code: ["process.hrtime.bigint()"],
    reason: "Prints how long stories took. Judges nothing.",
  },
  {
    path: "canaries/search-the-run.ts",
    code: ["const since"],
    reason: "When this run began: older files are not its.",
  },

  { path: "aws/http/post.test.ts", code: ["connectMs: 500, answerMs: 1_000"], reason: neverAnswers },
  {
    path: "cli/source-timeouts.test.ts",
    code: ["timeoutSeconds: 3", "timeoutSeconds: 5"],
    reason: "A parameter that is checked. No clock runs.",
  },
  {
    path: "sources/network/server.test.ts",
    code: ["timeoutSeconds: 2", "timeoutSeconds: 3", "timeoutMs: 2_000", "timeoutMs: 3_000", "timeoutMs: 5_000"],
    reason: "Parameters that are read. No clock runs.",
  },
  { path: "sources/postgresql/postgresql.test.ts", code: ["timeoutSeconds: 2"], reason: "A parameter that is read." },
  { path: "sources/network/tcp-client.test.ts", code: ["timeoutMs: 40"], reason: neverAnswers },
  {
    path: "sources/network/tcp.test.ts",
    code: ["socket.setTimeout(1)"],
    reason: "Asks what it returns. No clock runs.",
  },
  { path: "cluster/clusters.test.ts", code: ["timeoutMs: 200"], reason: neverAnswers },
  {
    path: "cluster/transport.test.ts",
    code: ["connect({ timeoutMs: 300 })", "idleTimeoutMs: 100", "concurrency: 1", "timeoutMs: 500"],
    reason: `${neverAnswers} Before, the server answers once.`,
  },
  { path: "cluster/api/services/port-forward.test.ts", code: ["timeoutMs: 1_000"], reason: loopTime },
  { path: "cluster/api/services/service-proxy.test.ts", code: ["timeoutMs: 500"], reason: loopTime },
  { path: "net/address.test.ts", code: ["timeoutMs: 600"], reason: neverAnswers },
  { path: "net/exchange.test.ts", code: ["connectMs: 20", "idleMs: 20"], reason: neverAnswers },
  {
    path: "net/exchange.test.ts",
    code: ["idleMs: 54_321"],
    reason: "Tells its timer from others. Nothing waits for it.",
  },
  { path: "sources/contract/tcp-cases.ts", code: ["timeoutSeconds: 1"], reason: neverAnswers },
  { path: "sources/contract/web-cases.ts", code: ["timeoutSeconds: 1"], reason: neverAnswers },
  {
    path: "sources/redis/redis.test.ts",
    code: ["timeoutSeconds: 1"],
    reason: `${loopTime} Lying servers never answer.`,
  },
  { path: "faults/syncs/isolation.test.ts", code: ["Timeout", "answerMs"], reason: loopTime },
  {
    path: "faults/syncs/hanging.test.ts",
    code: ["setTimeout(done, 5 * slotMs", "setInterval"],
    reason: `${loopTime} Servers that drip, and a slot whose length does not matter: nothing is answered in it.`,
  },
  { path: "faults/small-heap/aws/aws.test.ts", code: ["limitMs: 1_000"], reason: neverAnswers },
  {
    path: "sources/sources.test.ts",
    code: ["connectionTimeout: 3_000"],
    reason: "Compares the product's limits. Nothing waits for them.",
  },
  {
    path: "cluster/auth/assume-role.test.ts",
    code: ["connectionTimeout: 3_000"],
    reason: "Compares the product's limits. Nothing waits for them.",
  },
  {
    path: "cli/import-keda.test.ts",
    code: ["timeoutSeconds: 3"],
    reason: "A field of a document. Nothing waits for it.",
  },

  {
    path: "faults/syncs/isolation.test.ts",
    code: ["setInterval", "await wait(5)"],
    reason: "A far end that drips; and a loop that ends with what it waits for.",
  },
  {
    path: "faults/small-heap/aws/lying-service.ts",
    code: ["setInterval"],
    reason: "A far end that drips, at any speed.",
  },
  { path: "cli/watch.test.ts", code: ["return wait(10"], reason: "The command's pause between two looks, shortened." },
  {
    path: "local/clock.test.ts",
    code: ["setTimeout(resolve, 5)"],
    reason: "Later than the timer that must not fire: timers keep their order.",
  },
  {
    path: "sources/contract/contract.ts",
    code: ["context.abort"],
    reason: "The far end never answers, so the turn may end whenever it does.",
  },
  {
    path: "sources/contract/tcp-cases.ts",
    code: ["socket.destroy(), 100"],
    reason: "In the loop's time, ten turns or more: the client has shaken hands, and reads the answer.",
  },
  {
    path: "sources/sqs/sqs.test.ts",
    code: ["deadline.abort(), 300"],
    reason: "In the loop's time, 30 turns or more: no event says that the other queue's answer is read.",
  },
  {
    path: "cluster/api/services/port-forward.test.ts",
    code: ["await sleep(100)"],
    reason: "In the loop's time, ten turns or more without a byte: then the far end is held up.",
  },
  {
    path: "aws/http/connections.test.ts",
    code: ['write(http("stolen")), 5'],
    reason: "The test waits until the connection is closed, whenever the bytes come.",
  },
  {
    path: "sync/own-periods.test.ts",
    code: ["at + Date.now() - begun"],
    reason: "A clock that runs to the slot's beginning, which the wake waits for. Later is as good.",
  },
];
