import { correlate } from "../../lib/sync/events/cached-event-log";
import { emptyLog } from "../../lib/model/stored/event-log";
import type { DecisionRecord } from "../../lib/model/stored/state";
import { openStore } from "../../lib/table/store";
import { fromItem } from "../../lib/table/items/attributes";
import { encodeEvents } from "../../lib/table/items/hpa-items";
import { putCluster, putHpa } from "../../local/entries";
import { textWidth } from "../../cli/shell/print/fit-columns";
import { at, external, hpaWith, scaleOf, situationWith } from "../core/build";
import { stateAfter } from "./explain/explained";
import { signal, tableForTests } from "./table";

const { byHand, run, table } = tableForTests();
const metric = { name: "a-queue-with-a-name-that-says-it-all", selector: { matchLabels: { queue: "orders" } } };
const long = "unable to get external metric shop/a-queue-with-a-name-that-says-it-all: no answer from the queue";
const hpa = hpaWith({
  metrics: [{ type: "External", external: { metric, target: { type: "AverageValue", averageValue: "30" } } }],
});

beforeAll(async () => {
  const store = openStore({ client: table().client, table: table().name, now: () => at(10) });
  const endpoint = "https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com";
  await putCluster(table(), "prod", { endpoint, auth: { type: "token", secret: "t" } });
  await putHpa(table(), "prod", hpa);
  await putHpa(table(), "prod", { ...hpa, metadata: { name: "東京-注文", namespace: "shop" } });
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/zero", spec: { maxReplicas: 0, metrics: long } });
  const parameters = { queue: "q", weights: long };
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#lag", spec: { kind: "sqs", parameters } });
  const situation = situationWith({ scale: scaleOf(2), metrics: [external("30")] });
  const { decision, ...state } = stateAfter(situation);
  if (decision === undefined) throw new Error("a sync leaves a decision");
  const conditions = [
    { type: "ScalingActive", status: "False", reason: "FailedGetExternalMetric", message: long },
  ] as const;
  await store.putState("prod", "shop/web", { ...state, decision, status: { ...state.status, conditions } }, signal);
  const record: DecisionRecord = { ...decision, at: at(-60), scaleTo: 4, events: [] };
  await store.putDecision("prod", "shop/web", record, signal);
  const failed = { type: "Warning", reason: "FailedGetExternalMetric", message: long, name: "web.1" } as const;
  const events = correlate(emptyLog, failed, at(-60)).log;
  await byHand(fromItem(encodeEvents("prod", "shop/web", { version: 1, log: events })));
});

const lines = [
  "get hpa -A",
  "get hpa -n shop --show-labels",
  "get hpa,sources,clusters -A --no-headers",
  "get sources",
  "get clusters",
  "get events -A",
  "events -A",
  "cost --hpas 1000 --sources sqs=1000,cloudwatch=20",
  "describe hpa -n shop",
  "describe hpa web -n shop",
  "describe hpa zero -n shop",
  "describe sources",
  "describe cluster prod",
  "explain hpa web -n shop --since 1h",
  "status",
];
const ask = (line: string, columns?: number, env = {}) =>
  run(line.split(" "), { now: () => at(10), env: { TZ: "UTC", ...env }, ...(columns !== undefined && { columns }) });
const widest = (text: string) => Math.max(...text.split("\n").map((one) => textWidth(one.trimEnd())));

test.each(lines)("ebb %s fits a terminal of 80 columns, and of 100", async (line) => {
  for (const columns of [80, 100]) expect(widest((await ask(line, columns)).stdout)).toBeLessThanOrEqual(columns);
});

test.each(lines)("ebb %s is whole in a pipe, whatever COLUMNS says", async (line) => {
  const piped = await ask(line, undefined, { COLUMNS: "20" });
  expect(piped.stdout).toBe((await ask(line)).stdout);
  expect(piped.stdout).not.toBe("");
});

test("a terminal's user may say how wide lines are", async () => {
  expect(widest((await ask("get events -A", 200, { COLUMNS: "72" })).stdout)).toBe(72);
});

test("a terminal that does not know its width has 80 columns", async () => {
  expect((await ask("get events -A", 0)).stdout).toBe((await ask("get events -A", 80)).stdout);
});

test("-o wide and columns of one's own are whole on each terminal", async () => {
  for (const line of ["get hpa -A -o wide", "get hpa -A -o custom-columns=NAME:.metadata.name,SPEC:.spec"])
    expect((await ask(line, 80)).stdout).toBe((await ask(line)).stdout);
});

test("what is cut is named by an ellipsis, and names stay", async () => {
  expect((await ask("events -A", 80)).stdout.split("\n")).toEqual([
    "NAMESPACE  LAST SEEN  TYPE     REASON              OBJECT     MESSAGE",
    "shop       70s        Warning  FailedGetExternal…  Hori…/web  unable to get ext…",
    "",
  ]);
});
