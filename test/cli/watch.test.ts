import { PassThrough, Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { runEbb } from "../../cli/program";
import { correlate } from "../../lib/sync/events/cached-event-log";
import { emptyLog, type EventLog } from "../../lib/model/stored/event-log";
import { fromItem } from "../../lib/table/items/attributes";
import { encodeEvents } from "../../lib/table/items/hpa-items";
import { tableForTests } from "./table";
import { until } from "../time/until";

const { byHand, clear, run, table } = tableForTests();

const hpa = (name: string, maxReplicas: number) => ({
  pk: "CLUSTER#prod",
  sk: `HPA#default/${name}`,
  metadata: { creationTimestamp: "2026-03-01T11:00:00Z" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, maxReplicas },
});

beforeEach(async () => {
  const spec = { endpoint: "https://a.example", auth: { type: "token", secret: "s" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec });
  await byHand(hpa("web", 3));
});
afterEach(() => clear("prod"));

/** `ebb get … -w` in the background, until it is interrupted. */
function follow(args: readonly string[]) {
  const interrupting = new AbortController();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let exitCode = 0;
  const pauses = new Set<number>();
  const [text, errors]: string[][] = [[], []];
  stdout.on("data", (chunk: Buffer) => text?.push(chunk.toString()));
  stderr.on("data", (chunk: Buffer) => errors?.push(chunk.toString()));
  const done = runEbb(args, {
    env: { EBB_CONFIG: "/nowhere" },
    stdin: Readable.from([]),
    stdout,
    stderr,
    now: () => Date.parse("2026-03-01T12:00:00Z"),
    pause: (ms, signal) => {
      pauses.add(ms);
      return wait(10, undefined, { signal });
    },
    openTable: () => Promise.resolve({ table: table(), close: () => Promise.resolve() }),
    interrupted: interrupting.signal,
    exitWith: (code) => (exitCode = code),
  });
  return {
    async untilLines(count: number): Promise<readonly string[]> {
      const lines = () => (text ?? []).join("").split("\n").slice(0, -1);
      await until(() => lines().length >= count);
      return lines();
    },
    async interrupt() {
      interrupting.abort();
      await done;
      return { exitCode, stderr: (errors ?? []).join(""), pauses: [...pauses] };
    },
  };
}

test("changed rows appear with the same column widths, and Ctrl-C ends the watch quietly", async () => {
  const watching = follow(["get", "hpa", "-w"]);
  await watching.untilLines(2);
  await byHand(hpa("web", 5));
  await watching.untilLines(3);
  await byHand(hpa("a", 1));
  await watching.untilLines(4);
  await run(["delete", "hpa", "web"]);
  expect(await watching.untilLines(5)).toEqual([
    "NAME   REFERENCE        TARGETS              MINPODS   MAXPODS   REPLICAS   AGE",
    "web    Deployment/web   cpu: <unknown>/80%   1         3         0          60m",
    "web    Deployment/web   cpu: <unknown>/80%   1         5         0          60m",
    "a      Deployment/a     cpu: <unknown>/80%   1         1         0          60m",
    "web    Deployment/web   cpu: <unknown>/80%   1         5         0          60m",
  ]);
  expect(await watching.interrupt()).toEqual({ exitCode: 130, stderr: "", pauses: [2_000] });
}, 30_000);

test("objects come one by one", async () => {
  const watching = follow(["get", "hpa", "-w", "-o", "jsonpath={.metadata.name}={.spec.maxReplicas}{'\\n'}"]);
  await watching.untilLines(1);
  await byHand(hpa("web", 7));
  expect(await watching.untilLines(2)).toEqual(["web=3", "web=7"]);
  await watching.interrupt();
}, 30_000);

test("events come as they occur, and go without a line", async () => {
  const at = Date.parse("2026-03-01T12:00:00Z");
  const event = { type: "Normal", reason: "SuccessfulRescale", message: "New size: 3" } as const;
  const write = async (log: EventLog) =>
    await byHand(fromItem(encodeEvents("prod", "default/web", { version: 1, log })));
  const { log } = correlate(emptyLog, { ...event, name: "web.1" }, at - 120_000);
  await write(log);
  const watching = follow(["events", "-w"]);
  await watching.untilLines(2);
  await write(correlate(emptyLog, { ...event, message: "New size: 4", name: "web.2" }, at).log);
  expect(await watching.untilLines(3)).toEqual([
    "LAST SEEN   TYPE     REASON              OBJECT                        MESSAGE",
    "2m          Normal   SuccessfulRescale   HorizontalPodAutoscaler/web   New size: 3",
    "0s          Normal   SuccessfulRescale   HorizontalPodAutoscaler/web   New size: 4",
  ]);
  await write(correlate(log, { ...event, message: "New size: 5", name: "web.3" }, at).log);
  expect((await watching.untilLines(5)).slice(3)).toEqual([
    "2m          Normal   SuccessfulRescale   HorizontalPodAutoscaler/web   New size: 3",
    "0s          Normal   SuccessfulRescale   HorizontalPodAutoscaler/web   New size: 5",
  ]);
  await watching.interrupt();
}, 30_000);
