import { stripVTControlCharacters } from "node:util";
import { putCluster, putHpa } from "../../local/entries";
import type { DecisionRecord } from "../../lib/model/stored/state";
import { openStore } from "../../lib/table/store";
import { at, external, hpaWith, scaleOf, situationWith } from "../core/build";
import { shard, stateAfter } from "./explain/explained";
import { ebb } from "./run-ebb";
import { signal, tableForTests } from "./table";

const { table } = tableForTests();
const now = () => at(10);
const zone = (text: string) => text.replace(/(?:\d+ [A-Z][a-z]+ )?\d\d:(\d\d:\d\d) [A-Z][\w+-]*/g, "$1 ZONE");

async function ask(args: readonly string[], columns?: number) {
  const given = { table: table(), now, ...(columns !== undefined && { columns }) };
  const { stdout, ...rest } = await ebb(["dry-run", "hpa", ...args, "-n", "shop"], given);
  return { ...rest, stdout: zone(stdout) };
}

const dry = (name: string, isOn = true) => {
  const hpa = hpaWith();
  const annotations = isOn ? { annotations: { "ebb.dev/dry-run": "true" } } : {};
  return { ...hpa, metadata: { ...hpa.metadata, name, ...annotations } };
};

/** What ebb would make of a target of this size, with work for so many replicas. */
function recordAt(seconds: number, from: number, wanted: number, isDry = true): DecisionRecord {
  const hpa = dry("web", isDry);
  const { decision } = stateAfter(
    situationWith({ hpa, scale: scaleOf(from), metrics: [external(String(wanted * 10))] }),
  );
  if (decision === undefined) throw new Error("a sync leaves a decision");
  return { ...decision, at: at(seconds), scaleTo: null, events: [], ...(isDry ? { dryRun: true } : {}) };
}

async function put(name: string, records: readonly DecisionRecord[], isOn = true): Promise<void> {
  const store = openStore({ client: table().client, table: table().name, now });
  await putHpa(table(), "prod", dry(name, isOn));
  await store.putState("prod", `shop/${name}`, stateAfter(situationWith({ hpa: dry(name, isOn) })), signal);
  for (const record of records) await store.putDecision("prod", `shop/${name}`, record, signal);
}

beforeAll(async () => {
  const store = openStore({ client: table().client, table: table().name, now });
  await putCluster(table(), "prod", { endpoint: "https://k8s.example.com", auth: { type: "token", secret: "t" } });
  await store.createShard({ ...shard, version: 1 }, signal);
  await put("web", [recordAt(-7200, 2, 2), recordAt(-3600, 2, 4), recordAt(-1800, 3, 4), recordAt(-900, 4, 4)]);
  await put("over", [recordAt(-7200, 2, 4), recordAt(-3600, 2, 2, false)], false);
  await put("never", [], false);
  await put("new", []);
  await put(
    "busy",
    Array.from({ length: 25 }, (_, index) => recordAt(-3600 + 60 * index, 2 + (index % 2), 2 + (index % 2))),
  );
});

test("without on or off, shows the last day: what ebb would have done, beside what the target did", async () => {
  const { stdout, stderr, exitCode } = await ask(["web"]);
  expect([stderr, exitCode]).toEqual(["", 0]);
  expect(stdout.split("\n")).toEqual([
    "shop/web, a dry run, since 00:00 ZONE (120m ago):",
    "",
    "  ebb     would have scaled once, up",
    "  target  changed its size 2 times: 2 up",
    "  same    both had the same size for 75m of 120m (62 %)",
    "",
    expect.stringMatching(/^TIME +TARGET {3}EBB {3}WHY$/),
    "45:00 ZONE   4        4     queue asks for 4 (40 in all, 10 a pod (target 10))",
    "30:00 ZONE   3        4     queue asks for 4 (40 in all, 13.334 a pod (target 10))",
    "00:00 ZONE   2        4     queue asks for 4 (40 in all, 20 a pod (target 10))",
    "00:00 ZONE   2        2     queue asks for 2 (20 in all, 10 a pod (target 10))",
    "",
  ]);
});

test("a dry run that is over says from when to when it was", async () => {
  const { stdout } = await ask(["over"]);
  expect(stdout.split("\n").slice(0, 5)).toEqual([
    "shop/over, a dry run from 00:00 ZONE to 00:00 ZONE:",
    "",
    "  ebb     would have scaled once, up",
    "  target  changed its size 0 times",
    "  same    both had the same size for 0s of 60m (0 %)",
  ]);
});

test("an HPA that was no dry run, or whose first sync is to come, says so", async () => {
  const none = (name: string) => ({
    stdout: "",
    stderr: `shop/${name} was no dry run in the last day.\n`,
    exitCode: 0,
  });
  expect(await ask(["never"])).toEqual(none("never"));
  expect(await ask(["new"])).toEqual({
    ...none("new"),
    stderr: "shop/new is a dry run, and no sync has recorded anything of it yet.\n",
  });
  expect(await ask(["gone"])).toMatchObject({
    stdout: "",
    exitCode: 1,
    stderr: expect.stringContaining("not found") as string,
  });
});

test("of all HPAs, those that were a dry run are shown", async () => {
  const { stdout, stderr } = await ask(["--all"]);
  expect(stdout.match(/^shop\/\w+/gm)).toEqual(["shop/busy", "shop/over", "shop/web"]);
  expect(stderr).toBe("shop/new is a dry run, and no sync has recorded anything of it yet.\n");
  const elsewhere = await ebb(["dry-run", "hpa", "--all", "-n", "nowhere"], { table: table(), now });
  expect(elsewhere.stderr).toMatch(/^No resources found in nowhere namespace\.\n/);
});

test("as data, with times in UTC", async () => {
  const { stdout } = await ask(["web", "-o", "json"]);
  const { items } = JSON.parse(stdout) as { readonly items: readonly object[] };
  expect(items).toMatchObject([
    {
      ...{ cluster: "prod", namespace: "shop", name: "web", dryRun: true },
      ...{ from: "2026-03-01T10:00:00.000Z", to: "2026-03-01T12:00:00.000Z" },
      ...{ wouldHaveScaled: { up: 1, down: 0 }, targetChanged: { up: 2, down: 0 } },
      ...{ sameSeconds: 4500, comparedSeconds: 7200 },
      items: [
        { target: 4, ebb: 4 },
        { target: 3, ebb: 4 },
        { target: 2, ebb: 4 },
        { target: 2, ebb: 2 },
      ],
    },
  ]);
  expect((await ask(["web", "-o", "yaml"])).stdout).toMatch(/^items:\n/);
});

test("many moves are cut, and fit a terminal", async () => {
  const { stdout } = await ask(["busy"], 80);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(6 + 1 + 20 + 1);
  expect(lines.at(-1)).toBe("and 5 more");
  const raw = await ebb(["dry-run", "hpa", "busy", "-n", "shop"], { table: table(), now, columns: 80 });
  const widths = stripVTControlCharacters(raw.stdout)
    .split("\n")
    .map((line) => line.length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(80);
});
