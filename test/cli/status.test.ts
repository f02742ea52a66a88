import { delimiter, join } from "node:path";
import { writeFile } from "node:fs/promises";
import { startSimulatedCluster, type SimulatedCluster } from "../../local/backends/kubernetes/cluster";
import { putCluster, putHpa } from "../../local/entries";
import { openStore } from "../../lib/table/store";
import { at, external, hpaWith, scaleOf, situationWith } from "../core/build";
import { shard, stateAfter } from "./explain/explained";
import { ebb, type Given } from "./run-ebb";
import { planted } from "../canaries/watch-writes";
import { signal, tableForTests } from "./table";

const { table, folder, byHand } = tableForTests();
const run = (args: readonly string[] = [], more: Given = {}) =>
  ebb(["status", ...args, "--directory", folder()], {
    table: table(),
    now: () => at(10),
    env: { KUBECONFIG: given() },
    ...more,
  });
const given = () => ["kubeconfig", "gone"].map((name) => join(folder(), name)).join(delimiter);

// Reading a kubeconfig loads a library first, which is slow on a busy machine.
jest.setTimeout(60_000);

let simulated: SimulatedCluster;
let hangs = false;
let asked = (): void => undefined;
const intercept = () => {
  if (hangs) asked();
  return hangs;
};
beforeAll(async () => {
  simulated = await startSimulatedCluster({ controllers: false, intercept });
  const file = join(folder(), "kubeconfig");
  await writeFile(file, simulated.kubeconfig("default"));
  await putCluster(table(), "here", { auth: { type: "kubeconfig", file } });
  const gone = join(folder(), "gone");
  planted(gone);
  await writeFile(gone, simulated.kubeconfig("default").replace(simulated.endpoint, "https://127.0.0.1:1"));
  await putCluster(table(), "gone", { auth: { type: "kubeconfig", file: gone } });
  await putCluster(table(), "elsewhere", { auth: { type: "kubeconfig", file: "/nowhere/kubeconfig" } });

  const store = openStore({ client: table().client, table: table().name, now: () => at(10) });
  const named = (name: string, annotations: Record<string, string> = {}) => {
    const hpa = hpaWith();
    return { ...hpa, metadata: { ...hpa.metadata, name, annotations } };
  };
  await putHpa(table(), "here", named("web"));
  await putHpa(table(), "here", named("resting", { "ebb.dev/paused": "true" }));
  await putHpa(table(), "here", named("trial", { "ebb.dev/dry-run": "true" }));
  await byHand({ pk: "CLUSTER#here", sk: "HPA#shop/bad", spec: { maxReplicas: 0 } });
  const dark = situationWith({ scale: scaleOf(4), metrics: [{ error: "no such queue", from: "sqs" }] });
  const warnings = [{ type: "Warning", reason: "FailedGetExternalMetric", message: "no such queue" }] as const;
  await store.putState("here", "shop/web", { ...stateAfter(dark), warnings }, signal);
  await store.putState("here", "shop/trial", stateAfter(situationWith({ metrics: [external("20")] })), signal);
  await store.createShard({ ...shard, cluster: "here", to: "shop/t", version: 1 }, signal);
  await store.createShard({ ...shard, cluster: "here", from: "shop/t", version: 1, slot: at(-600) }, signal);
  await store.createShard({ ...shard, cluster: "gone", version: 1, behind: { "shop/x": at(-30) } }, signal);
  await run(["--cluster", "here"]); // Loads everything that is loaded late.
});
afterAll(() => simulated.close());

test("clusters, shards and failing HPAs at a glance", async () => {
  const { stdout, stderr, exitCode } = await run();
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout.replace(/\d\d:(\d\d:\d\d) [A-Z]\S*/g, "HH:$1 ZONE").split("\n")).toEqual([
    "CLUSTER     HPAS   FAILING   AT-MAX   HELD   PAUSED   DRY-RUN   REACHABLE",
    expect.stringMatching(/^elsewhere {3}0 {6}0 {9}0 {8}0 {6}0 {8}0 {9}not checked: .*\/nowhere\/kubeconfig/),
    expect.stringMatching(/^gone {8}0 {6}0 {9}0 {8}0 {6}0 {8}0 {9}no: https:\/\/127.0.0.1:1: connection refused/),
    "here        4      2         0        1      1        1         yes",
    "",
    expect.stringMatching(/^CLUSTER {5}SHARD {11}HPAS {3}LAST SLOT +AGO {3}STATE$/),
    "gone        all             3      HH:00:00 ZONE   10s   1 of 3 HPAs behind",
    "here        before shop/t   3      HH:00:00 ZONE   10s   ok",
    "here        from shop/t     3      HH:50:00 ZONE   10m   late",
    expect.stringMatching(/^elsewhere {3}none {19}never +the tick has not run since it was registered$/),
    "",
    "2 failing:",
    "CLUSTER   NAMESPACE   NAME   FOR   REASON                    MESSAGE",
    expect.stringMatching(/^here {6}shop {8}bad {10}InvalidEntry {14}spec/),
    "here      shop        web    10s   FailedGetExternalMetric   no such queue",
    "",
  ]);
});

test("as data; one cluster alone", async () => {
  const { stdout } = await run(["--cluster", "here", "-o", "json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    at: "2026-03-01T12:00:10.000Z",
    clusters: [
      {
        cluster: "here",
        reachable: "yes",
        failing: [{ name: "bad" }, { namespace: "shop", name: "web", since: "2026-03-01T12:00:00.000Z" }],
      },
    ],
    shards: [{ lastSlot: "2026-03-01T12:00:00.000Z", ageSeconds: 10 }, { problem: "late" }],
  });
});

test("does not wait for a server that hangs", async () => {
  const patience: number[] = [];
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const pause = (ms: number) => {
    patience.push(ms);
    return isAsked;
  };
  hangs = true;
  const { stdout } = await run(["--cluster", "here"], { pause });
  hangs = false;
  expect(patience).toEqual([8_000]);
  expect(stdout).toMatch(/\nhere .* no: no answer within 8 s\n/);
});
