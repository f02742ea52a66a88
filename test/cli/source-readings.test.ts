import type { MetricSpec } from "../../lib/k8s/hpa";
import type { MetricResponse } from "../../lib/k8s/objects";
import type { HpaKey } from "../../lib/model/hpa-key";
import { queryKey } from "../../lib/model/metric/query-key";
import type { State } from "../../lib/model/stored/state";
import { fromItem } from "../../lib/table/items/attributes";
import { encodeShard } from "../../lib/table/items/shard-item";
import { encodeState } from "../../lib/table/items/hpa-items";
import { at, external, hpaWith, noon, situationWith } from "../core/build";
import { shard, stateAfter } from "./explain/explained";
import { tableForTests } from "./table";

const { byHand, clear, run } = tableForTests();
const later = { now: () => at(20) };
const metric = (name: string, matchLabels?: Record<string, string>): MetricSpec => ({
  type: "External",
  external: {
    metric: { name, ...(matchLabels && { selector: { matchLabels } }) },
    target: { type: "AverageValue", averageValue: "10" },
  },
});
const reads = (value: string): MetricResponse => external(value);
const fails: MetricResponse = { error: "https://jobs.example: connection refused", from: "http" };

afterEach(() => clear("prod"));

async function source(name: string, kind: string, parameters: object = {}): Promise<void> {
  await byHand({ pk: "CLUSTER#prod", sk: `SOURCE#${name}`, spec: { kind, parameters } });
}

interface Synced {
  readonly annotations?: Record<string, string>;
  readonly state?: Partial<State>;
  readonly generation?: number;
}

/** An HPA whose metrics answered this at noon. */
async function synced(
  name: string,
  metrics: readonly (readonly [MetricSpec, MetricResponse | undefined])[],
  { annotations = {}, state = {}, generation }: Synced = {},
): Promise<void> {
  const key: HpaKey = `shop/${name}`;
  const hpa = hpaWith({ metrics: metrics.map(([one]) => one) });
  const own = { ...hpa.metadata, name, annotations, ...(generation !== undefined && { generation }) };
  await byHand({ pk: "CLUSTER#prod", sk: `HPA#${key}`, metadata: own, spec: hpa.spec });
  const answers = metrics.flatMap(([, response]) => response ?? []);
  if (answers.length < metrics.length) return;
  const decided = stateAfter(situationWith({ hpa, metrics: answers }));
  await byHand(fromItem(encodeState("prod", key, { ...decided, ...state })));
}

async function cluster(heartbeat = noon): Promise<void> {
  const spec = { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec });
  await byHand(fromItem(encodeShard({ ...shard, slot: heartbeat, heartbeat })));
}

const rows = async (...options: readonly string[]) =>
  (await run(["get", "sources", "--no-headers", ...options], later)).stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.trimEnd().split(/ {2,}/));

test("each source has its last value, and the age of that reading", async () => {
  await cluster();
  await source("jobs", "http");
  await source("idle", "http");
  await source("new", "http");
  await synced("web", [[metric("jobs"), reads("41")]]);
  await synced("young", [[metric("new"), undefined]]);
  expect(await rows()).toEqual([
    ["idle", "http", "<none>", "<none>", "0", "<unknown>"],
    ["jobs", "http", "41", "20s", "1", "<unknown>"],
    ["new", "http", "<unknown>", "<unknown>", "1", "<unknown>"],
  ]);
});

test("a source that cannot be read has the error, without the words that name it again", async () => {
  await cluster();
  await source("jobs", "http");
  await synced("web", [[metric("jobs"), fails]]);
  await synced("other", [[metric("jobs"), reads("4")]]);
  const error = "unable to fetch metrics from http: https://jobs.example: connection refused";
  expect(await rows()).toEqual([["jobs", "http", `<error> ${error}`, "20s", "2", "<unknown>"]]);
  const { stdout } = await run(["describe", "source", "jobs"], later);
  expect(stdout).toContain(`Readings:
  HPA         Metric  Read  Value
  ---         ------  ----  -----
  shop/web    jobs    20s   <error> ${error}
  shop/other  jobs    20s   4
`);
});

test("what else a metric fails for is no error of its source", async () => {
  await cluster();
  await source("jobs", "http");
  const total: MetricSpec = {
    type: "External",
    external: { metric: { name: "jobs" }, target: { type: "Value", value: "10" } },
  };
  await synced("web", [[total, reads("41")]]); // no ready pod
  expect(await rows()).toEqual([["jobs", "http", "<unknown>", "<unknown>", "1", "<unknown>"]]);
});

test("a long error is cut, unless the table is wide", async () => {
  await cluster();
  await source("jobs", "http");
  await synced("web", [[metric("jobs"), { error: "x".repeat(300), from: "http" }]]);
  expect((await rows())[0]?.[2]).toMatch(/^<error> unable .{93}…$/);
  expect((await rows("-o", "wide"))[0]?.[2]).toMatch(/x{300}$/);
});

test("labels ask for numbers of their own", async () => {
  await cluster();
  await source("jobs", "http");
  await synced("a", [[metric("jobs", { topic: "a" }), reads("1")]]);
  await synced("b", [
    [metric("jobs", { topic: "b" }), reads("2")],
    [metric("jobs", { topic: "c" }), reads("3")],
  ]);
  expect(await rows()).toEqual([["jobs", "http", "1, 2 + 1 more...", "20s", "2", "<unknown>"]]);
});

test("what a formula is made of was read too", async () => {
  await cluster();
  await source("jobs", "http");
  await source("mail", "http");
  const operands = [
    { name: "jobs", source: "jobs", labels: { topic: "a" } },
    { name: "mail", source: "mail" },
  ];
  await source("sum", "formula", { formula: "jobs + (mail ?? 0)", operands });
  await synced("web", [[metric("sum"), { ...reads("7"), madeOf: "jobs=7, mail=missing" }]]);
  expect(await rows()).toEqual([
    ["jobs", "http", "7", "20s", "1", "<unknown>"],
    ["mail", "http", "<error> the formula sum had no value of it", "20s", "1", "<unknown>"],
    ["sum", "formula", "7", "20s", "1", "<unknown>"],
  ]);
  const { stdout } = await run(["describe", "source", "jobs"], later);
  expect(stdout).toMatch(/shop\/web {2}jobs\(topic=a\) in sum {2}20s +7\n/);
});

/** What `ebb get … -w` prints at first, and after each of the steps. */
async function watched(args: readonly string[], steps: readonly (() => Promise<void>)[]): Promise<readonly string[]> {
  const interrupting = new AbortController();
  const left = [...steps];
  const pause = async () => {
    const step = left.shift();
    if (step === undefined) interrupting.abort();
    await step?.();
  };
  const { stdout, stderr } = await run(args, { ...later, pause, interrupted: interrupting.signal });
  expect(stderr).toBe("");
  return stdout.split("\n").slice(0, -1);
}

describe("a watch", () => {
  const values = (lines: readonly string[]) => lines.map((line) => line.split(/ {2,}/).slice(0, 3).join(" "));
  const followed = async (steps: readonly (() => Promise<void>)[]) =>
    values(await watched(["get", "sources", "-w", "--no-headers"], steps));
  const syncAt = (seconds: number) => async () =>
    await byHand(fromItem(encodeShard({ ...shard, slot: at(seconds), heartbeat: at(seconds) })));

  test("has a row for a change of what is shown, not for each sync that read the same", async () => {
    await cluster();
    await source("jobs", "http");
    await synced("web", [[metric("jobs"), reads("41")]]);
    const steps = [
      ...[syncAt(15), syncAt(30), syncAt(600)],
      () => synced("web", [[metric("jobs"), reads("42")]]),
      syncAt(615),
      () => synced("web", [[metric("jobs"), fails]]),
      syncAt(630),
      () => synced("other", [[metric("jobs"), reads("7")]]),
      () => source("jobs", "prometheus"),
      syncAt(645),
    ];
    const error = "<error> unable to fetch metrics from http: https://jobs.example: connection refused";
    expect(await followed(steps)).toEqual([
      ...["jobs http 41", "jobs http 42", `jobs http ${error}`, `jobs http ${error}`],
      `jobs prometheus ${error}`,
    ]);
  });

  test("does not take another order of the same readings for a change", async () => {
    await cluster();
    await source("jobs", "cloudwatch", { period: "300" });
    const key = queryKey("cloudwatch", { metricName: "jobs", parameters: { period: "300", topic: "a" } });
    const keptSince = (seconds: number) => ({
      state: { readings: { [key]: { response: { items: [] }, readAt: at(seconds) } } },
    });
    const readA = (seconds: number) => synced("a", [[metric("jobs", { topic: "a" }), reads("1")]], keptSince(seconds));
    await readA(-60);
    await synced("b", [[metric("jobs", { topic: "b" }), reads("2")]]);
    expect(await followed([() => readA(240)])).toEqual(["jobs cloudwatch 2, 1"]);
  });

  test("of objects follows the same changes", async () => {
    await cluster();
    await source("jobs", "http");
    await synced("web", [[metric("jobs"), reads("41")]]);
    const lines = await watched(
      ["get", "sources", "-w", "-o", "jsonpath={.status.readings[*].value}{'\\n'}"],
      [syncAt(600), () => synced("web", [[metric("jobs"), reads("42")]]), syncAt(900)],
    );
    expect(lines).toEqual(["41", "42"]);
  });

  test("of clusters has a row when their HPAs become more", async () => {
    await cluster();
    const add = () => synced("web", [[metric("jobs"), undefined]]);
    const lines = await watched(["get", "clusters", "-w", "--no-headers"], [syncAt(15), add, syncAt(30)]);
    expect(lines.map((line) => line.split(/ {2,}/)[3])).toEqual(["0", "1"]);
  });
});

describe("the age of a reading", () => {
  const age = async () => (await rows())[0]?.[3];

  test("of a value that has not changed for minutes, it is that of the last sync", async () => {
    await cluster(at(15));
    await source("jobs", "http");
    await synced("web", [[metric("jobs"), reads("41")]], {});
    expect(await age()).toBe("20s"); // not sure yet: only a value of a minute ago would have been written since
    await byHand(fromItem(encodeShard({ ...shard, slot: at(600), heartbeat: at(600) })));
    const { stdout } = await run(["get", "sources", "--no-headers"], { now: () => at(610) });
    expect(stdout).toMatch(/ 41 +10s /);
  });

  test("of a paused HPA, it grows", async () => {
    await cluster(at(600));
    await source("jobs", "http");
    await synced("web", [[metric("jobs"), reads("41")]], { annotations: { "ebb.dev/paused": "true" } });
    const { stdout } = await run(["get", "sources", "--no-headers"], { now: () => at(610) });
    expect(stdout).toMatch(/ 41 +10m /);
  });

  test("of a source that must know its last places, it is not theirs", async () => {
    await cluster(at(15));
    await source("jobs", "kafka", { group: "g" });
    const key = queryKey("kafka", { metricName: "jobs", parameters: { group: "g" } });
    const places = { "orders-0": { at: "7", since: at(-600) } };
    await synced("web", [[metric("jobs"), reads("41")]], {
      state: { readings: { [key]: { response: { items: [] }, readAt: at(-600), places } } },
    });
    expect(await age()).toBe("20s");
  });

  test("of a reading that is kept for longer than a slot, it is that of the request", async () => {
    await cluster(at(15));
    await source("jobs", "cloudwatch", { period: "300" });
    const key = queryKey("cloudwatch", { metricName: "jobs", parameters: { period: "300" } });
    const readings = { [key]: { response: { items: [] }, readAt: at(-120) } };
    await synced("web", [[metric("jobs"), reads("41")]], { state: { readings } });
    expect(await age()).toBe("2m20s");
  });
});

test.each<[string, readonly MetricSpec[], readonly MetricResponse[], string]>([
  ["a value is its own metric's", [metric("mail"), metric("jobs")], [fails, reads("41")], "41"],
  ["an error is no other metric's", [metric("mail")], [fails], "<unknown>"],
])("of a spec that has changed since, %s", async (_, metrics, answers, value) => {
  await cluster();
  await source("jobs", "http");
  await source("mail", "http");
  await synced("web", [[metric("jobs"), undefined]], { generation: 2 });
  const { decision, ...decided } = stateAfter(situationWith({ hpa: hpaWith({ metrics }), metrics: answers }));
  const state = { ...decided, ...(decision && { decision: { ...decision, generation: 1 } }) };
  await byHand(fromItem(encodeState("prod", "shop/web", state)));
  expect((await rows()).map(([name, , read]) => [name, read])).toEqual([
    ["jobs", value],
    ["mail", "<none>"],
  ]);
});

test("-o yaml has the readings as status, and can be applied again", async () => {
  await cluster();
  await source("jobs", "http", { url: "https://jobs.example/n", path: "$.n" });
  await synced("web", [[metric("jobs"), reads("41")]]);
  const { stdout } = await run(["get", "source", "jobs", "-o", "yaml"], later);
  expect(stdout).toContain(`status:
  hpas: 1
  readings:
  - hpa: shop/web
    metric: jobs
    readAt: "2026-03-01T12:00:00Z"
    value: "41"
`);
  const applied = await run(["apply", "-f", "-"], { ...later, stdin: stdout });
  expect(applied).toMatchObject({ exitCode: 0, stdout: "metricsource.ebb.dev/jobs unchanged\n" });
});

test("describe shows 20 readings, those that failed first", async () => {
  await cluster();
  await source("jobs", "http");
  for (let index = 10; index < 35; index += 1)
    await synced(`w${index}`, [[metric("jobs"), index === 34 ? fails : reads("4")]]);
  const { stdout } = await run(["describe", "source", "jobs"], later);
  const lines = stdout.slice(stdout.indexOf("Readings:")).split("\n");
  expect(lines[3]).toMatch(/^ {2}shop\/w34 .* <error> /);
  expect(lines.slice(3, -1)).toHaveLength(21);
  expect(lines.at(-2)).toBe("  ... and 5 more: ebb get source jobs -o yaml");
});

test("names and errors from the table and from backends cannot fake lines", async () => {
  await cluster();
  await source("jobs", "http");
  await synced("web", [[metric("jobs"), { error: "a\nidle  http\u001b[2J", from: "http" }]]);
  const get = await run(["get", "sources", "-o", "wide"], later);
  expect(get.stdout.split("\n")).toHaveLength(3);
  const described = await run(["describe", "source", "jobs"], later);
  expect(described.stdout + get.stdout).not.toContain("\u001b");
  expect(described.stdout).toContain("a\\nidle");
});
