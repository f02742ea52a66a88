import { putCluster, putHpa } from "../../local/entries";
import type { DecisionRecord } from "../../lib/model/stored/state";
import { openStore } from "../../lib/table/store";
import { at, external, hpaWith, nothingSoFar, scaleOf, situationWith } from "../core/build";
import { shard, stateAfter } from "./explain/explained";
import { ebb } from "./run-ebb";
import { signal, tableForTests } from "./table";

const { table } = tableForTests();
const now = () => at(10);
const hpa = hpaWith();
const ask = (...args: readonly string[]) =>
  ebb(["explain", "hpa", ...args, "-n", "shop"], { table: table(), now, env: { TZ: "UTC" } });

const held = situationWith({
  scale: scaleOf(7),
  metrics: [external("30")],
  history: { ...nothingSoFar, recommendations: [{ replicas: 7, since: at(-90), at: at(-90) }] },
});

function recordAt(seconds: number, from: number, to: number): DecisionRecord {
  const situation = situationWith({ scale: scaleOf(from), metrics: [external(String(to * 10))] });
  const { decision } = stateAfter(situation);
  if (decision === undefined) throw new Error("a sync leaves a decision");
  const { desiredReplicas } = decision;
  return { ...decision, at: at(seconds), scaleTo: desiredReplicas === from ? null : desiredReplicas, events: [] };
}

beforeAll(async () => {
  const store = openStore({ client: table().client, table: table().name, now });
  await putCluster(table(), "prod", { endpoint: "https://k8s.example.com", auth: { type: "token", secret: "t" } });
  await putHpa(table(), "prod", hpa);
  await store.createShard({ ...shard, version: 1 }, signal);
  await store.putState("prod", "shop/web", stateAfter(held), signal);
  for (const record of [recordAt(-3600, 2, 4), recordAt(-1800, 4, 8), recordAt(-60, 8, 7)]) {
    await store.putDecision("prod", "shop/web", record, signal);
  }
});

test("explains the current decision", async () => {
  const { stdout, stderr, exitCode } = await ask("web");
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")).toEqual([
    "shop/web stays at 7 replicas, though the metrics ask for 3.",
    "",
    "  read    queue  30 in all, 4.286 a pod (target 10): asks for 3",
    expect.stringMatching(
      /^ {2}held {4}scale-down until \d\d:03:30 \S+ \(in 3m20s\) by a recommendation of 7 at \d\d:58:30 \S+ /,
    ),
    expect.stringMatching(/^ {2}next {4}down to 3 replicas at \d\d:03:30 \S+ \(in 3m20s\), while/),
    "  state   held",
    expect.stringMatching(
      /^ {2}about {3}Deployment\/web, cluster prod, 1 to 10 replicas, synced at \d\d:00:00 \S+ \(10s ago\)$/,
    ),
    "",
  ]);
});

test("as data, with times in UTC", async () => {
  const { stdout } = await ask("hpa/web", "-o", "json");
  expect(JSON.parse(stdout)).toMatchObject({
    cluster: "prod",
    namespace: "shop",
    name: "web",
    lastSynced: "2026-03-01T12:00:00.000Z",
    decision: {
      at: "2026-03-01T12:00:00.000Z",
      from: 7,
      desiredReplicas: 7,
      proposed: 3,
      metrics: [{ metric: "queue", asksFor: 3 }],
      held: [{ by: "stabilization", recommendation: 7, until: "2026-03-01T12:03:30.000Z" }],
    },
    next: [{ at: "2026-03-01T12:03:30.001Z", from: 7, to: 3 }],
  });
});

test("--at explains the decision in effect then, and what followed", async () => {
  const { stdout } = await ask("web", "--at", "2026-03-01T11:20:00Z");
  expect(stdout).toMatch(
    /^shop\/web was scaled up from 2 to 4 replicas at \d\d:00:00 \S+ \(60m ago\): queue asked for 4\.\n/,
  );
  expect(stdout).toMatch(/\n {2}read {4}queue {2}40 in all, 20 a pod \(target 10\): asks for 4\n/);
  expect(stdout).toMatch(/\n {2}then {4}\d\d:30:00 \S+ {2}4 → 8\n {10}\d\d:59:00 \S+ {2}stayed at 8\n/);
  const { stderr, exitCode } = await ask("web", "--at", "2026-03-01T10:20:00Z");
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: no decision of shop\/web is recorded at .* or before/),
  ]);
});

test("--last and --since list decisions, the newest first", async () => {
  const { stdout } = await ask("web", "--last", "2");
  expect(stdout.split("\n")).toEqual([
    expect.stringMatching(/^TIME +FROM {3}TO {3}WHY$/),
    expect.stringMatching(
      /^\d\d:59:00 \S+ {3}8 {6}8 {4}queue asks for 7 \(70 in all, 8\.75 a pod \(target 10\)\); held scale-down until /,
    ),
    expect.stringMatching(/^\d\d:30:00 \S+ {3}4 {6}8 {4}queue asks for 8 /),
    "",
  ]);
  const { stdout: since } = await ask("web", "--since", "2h", "-o", "json");
  expect((JSON.parse(since) as { items: unknown[] }).items).toHaveLength(3);
  expect(await ask("web", "--since", "5s")).toMatchObject({
    stdout: "",
    stderr: "No decisions of shop/web are recorded since then.\n",
  });
});

test("a fresh HPA whose metric cannot be read was not scaled: it stayed, whatever its status says of the wish", async () => {
  const store = openStore({ client: table().client, table: table().name, now });
  const { decision } = stateAfter(situationWith({ scale: scaleOf(3), metrics: [{ error: "no such queue" }] }));
  if (decision === undefined) throw new Error("a sync leaves a decision");
  expect(decision.desiredReplicas).toBe(0);
  await putHpa(table(), "prod", { ...hpa, metadata: { ...hpa.metadata, name: "fresh" } });
  await store.putDecision("prod", "shop/fresh", { ...decision, at: at(-90), scaleTo: null, events: [] }, signal);
  await store.putDecision(
    "prod",
    "shop/fresh",
    { ...decision, at: at(-30), from: null, scaleTo: null, events: [] },
    signal,
  );
  const { stdout } = await ask("fresh", "--since", "3m");
  expect(stdout).toMatch(
    /\n\d\d:59:30 \S+ {3}\? {6}\? {4}.*cannot be read\n\d\d:58:30 \S+ {3}3 {6}3 {4}.*cannot be read\n$/,
  );
  const { stdout: then } = await ask("fresh", "--at", "2026-03-01T11:59:00Z");
  expect(then).toMatch(/^shop\/fresh stayed at 3 replicas: queue could not be read/);
  expect(then).toMatch(/\n {2}then {4}\d\d:59:30 \S+ {2}could not be scaled\n/);
});

test.each<[string, readonly string[], number, RegExp]>([
  [
    "an HPA that is not there",
    ["gone"],
    1,
    /^Error from server \(NotFound\): horizontalpodautoscalers.autoscaling "gone" not found\n$/,
  ],
  ["nor are decisions of it", ["gone", "--last", "3"], 1, /NotFound/],
  ["no time", ["web", "--at", "25:00"], 1, /expected a time such as 03:00.*got "25:00"/],
  ["no number", ["web", "--last", "0"], 1, /expected a whole number, 1 or more/],
  ["two questions at once", ["web", "--last", "1", "--at", "03:00"], 1, /cannot be used with/],
])("%s is refused", async (_, args, code, message) => {
  const { stdout, stderr, exitCode } = await ask(...args);
  expect([stdout, exitCode]).toEqual(["", code]);
  expect(stderr).toMatch(message);
});

test("an HPA by TYPE/NAME, several, and those of a file, which names cluster and namespace itself", async () => {
  const given = { table: table(), now, env: { TZ: "UTC" } };
  const { stdout: web } = await ask("web");
  expect((await ebb(["explain", "hpa/web", "-n", "shop"], given)).stdout).toBe(web);
  const several = await ebb(["explain", "hpa/web", "hpa/gone", "hpa/web", "-n", "shop"], given);
  expect(several).toEqual({
    stdout: `${web}\n${web}`,
    stderr: 'Error from server (NotFound): horizontalpodautoscalers.autoscaling "gone" not found\n',
    exitCode: 1,
  });
  const { spec, metadata } = hpa;
  const stdin = JSON.stringify({ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata, spec });
  expect(await ebb(["explain", "-f", "-"], { ...given, stdin })).toEqual({ stdout: web, stderr: "", exitCode: 0 });
  const data = await ebb(["explain", "-f", "-", "-o", "json"], { ...given, stdin });
  expect(JSON.parse(data.stdout)).toMatchObject({ cluster: "prod", namespace: "shop", name: "web" });
});

test.each([
  ["clusters prod", "explain works only on hpa, not on clusters"],
  ["hpa/web -f x.yaml", "you may not specify resource arguments as well"],
  ["-f", "argument missing"],
])("explain %s is refused", async (line, why) => {
  const { stdout, stderr, exitCode } = await ebb(["explain", ...line.split(" ")], { table: table(), now });
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain(why);
});

test("on a terminal, lines wrap at its width, and the answer is highlighted", async () => {
  const { stdout } = await ebb(["explain", "hpa", "web", "-n", "shop"], { table: table(), now, columns: 60 });
  const lines = stdout.split("\n");
  expect(lines[0]).toBe("\u001b[1mshop/web stays at 7 replicas, though the metrics ask for 3.\u001b[22m");
  expect(lines.slice(1).filter((line) => line.length > 60)).toEqual([]);
});
