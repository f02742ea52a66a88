import { momentAfter, momentOf } from "../../cli/write/annotate/moment-to-come";
import { readOperations } from "../../lib/model/entry/annotations";
import type { ObjectMeta } from "../../lib/k8s/objects";
import type { EntryRef } from "../../lib/model/ports/entries";
import { now, tableForTests } from "./table";

const { run, register, file, stored, byHand, clear, beforeNextWrite } = tableForTests();

const ref = (name: string, namespace = "shop"): EntryRef => ({
  kind: "HorizontalPodAutoscaler",
  cluster: "prod",
  namespace,
  name,
});
const hpa = (name: string, { namespace = "shop", tier = "web", max = 5 } = {}) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${name}, namespace: ${namespace}, labels: {tier: ${tier}}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  maxReplicas: ${max}
`;
const annotationsOf = async (name: string, namespace?: string) =>
  ((await stored(ref(name, namespace))).document["metadata"] as ObjectMeta).annotations;
const ebb = (...args: readonly string[]) => run([...args, "--cluster", "prod"]);
const said = (...lines: readonly string[]) =>
  lines.map((line) => `horizontalpodautoscaler.autoscaling/${line}\n`).join("");

beforeEach(async () => {
  await register("prod");
  const documents = [hpa("a"), hpa("b", { tier: "batch" }), hpa("c", { namespace: "zoo", tier: "batch" })];
  await ebb("apply", "-f", await file(documents.join("---\n")));
});
afterEach(() => clear("prod"));

test("a pause until it is resumed", async () => {
  const { generation } = (await stored(ref("a"))).document["metadata"] as ObjectMeta;
  expect(await ebb("pause", "hpa", "a", "-n", "shop")).toEqual({ stdout: said("a paused"), stderr: "", exitCode: 0 });
  expect((await stored(ref("a"))).document["metadata"]).toMatchObject({
    annotations: { "ebb.dev/paused": "true" },
    generation,
  });
  const { version } = await stored(ref("a"));
  await ebb("pause", "hpa/a", "-n", "shop");
  expect((await stored(ref("a"))).version).toEqual(version);

  expect((await ebb("resume", "hpa", "a", "-n", "shop")).stdout).toBe(said("a resumed"));
  expect(await annotationsOf("a")).toBeUndefined();
  expect((await ebb("resume", "hpa", "a", "-n", "shop")).stdout).toBe(said("a not paused"));
});

test.each<[readonly string[], string]>([
  [["--for", "2h"], "2026-03-01T14:00:00Z"],
  [["--for", "1d12h"], "2026-03-03T00:00:00Z"],
  [["--for", "90ms"], "2026-03-01T12:00:01Z"],
  [["--until", "2026-03-01T18:00:00+02:00"], "2026-03-01T16:00:00Z"],
])("a pause %s is until %s, as the sync reads it", async (args, until) => {
  await ebb("pause", "hpa", "a", "-n", "shop");
  expect((await ebb("pause", "hpa", "a", "-n", "shop", ...args)).stdout).toBe(said(`a paused until ${until}`));
  const annotations = await annotationsOf("a");
  expect(annotations).toEqual({ "ebb.dev/paused-until": until });
  expect(readOperations({ ...(annotations && { annotations }) })).toEqual({
    paused: { until: Date.parse(until) },
    dryRun: false,
  });
});

test("several HPAs, all of a namespace, and by label in all namespaces", async () => {
  expect((await ebb("pause", "hpa", "b", "a", "-n", "shop")).stdout).toBe(said("b paused", "a paused"));
  expect((await ebb("resume", "hpa", "--all", "-n", "shop")).stdout).toBe(said("a resumed", "b resumed"));
  expect((await ebb("pause", "hpa", "-A", "-l", "tier=batch")).stdout).toBe(said("b paused", "c paused"));
  expect(await annotationsOf("a")).toBeUndefined();
  expect((await ebb("pause", "hpa", "-l", "tier=none", "-n", "shop")).stderr).toBe(
    "No resources found in shop namespace.\n",
  );
});

test("a dry run, on and off", async () => {
  expect((await ebb("dry-run", "hpa", "a", "b", "on", "-n", "shop")).stdout).toBe(said("a dry run on", "b dry run on"));
  expect(await annotationsOf("b")).toEqual({ "ebb.dev/dry-run": "true" });
  expect((await ebb("dry-run", "hpa", "--all", "off", "-n", "shop")).stdout).toBe(
    said("a dry run off", "b dry run off"),
  );
  expect(await annotationsOf("b")).toBeUndefined();
});

test("a concurrent change is kept", async () => {
  beforeNextWrite(async () => ebb("apply", "-f", await file(hpa("a", { max: 9 }))));
  expect((await ebb("pause", "hpa", "a", "-n", "shop")).stdout).toBe(said("a paused"));
  expect((await stored(ref("a"))).document).toMatchObject({
    metadata: { annotations: { "ebb.dev/paused": "true" }, generation: 2 },
    spec: { maxReplicas: 9 },
  });
});

test("applying its file afterwards does not resume it", async () => {
  await ebb("pause", "hpa", "a", "-n", "shop");
  expect((await ebb("apply", "-f", await file(hpa("a")))).stdout).toBe(said("a unchanged"));
  expect(await annotationsOf("a")).toEqual({ "ebb.dev/paused": "true" });
});

test("beside a missing, a half-written and a just deleted entry, the others are paused", async () => {
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/half", metadata: "written" });
  expect(await ebb("pause", "hpa", "half", "gone", "a", "-n", "shop")).toEqual({
    stdout: said("a paused"),
    stderr:
      'error: horizontalpodautoscalers.autoscaling "half": metadata: expected a map, got "written"\n' +
      'Error from server (NotFound): horizontalpodautoscalers.autoscaling "gone" not found\n',
    exitCode: 1,
  });
  beforeNextWrite(() => clear("prod"));
  expect(await ebb("pause", "hpa", "b", "-n", "shop")).toMatchObject({
    stderr: 'Error from server (NotFound): horizontalpodautoscalers.autoscaling "b" not found\n',
    exitCode: 1,
  });
});

test.each<[string, readonly string[], string]>([
  ["neither names nor all", ["pause", "hpa"], "no name was specified: name them, or use --all or -l SELECTOR"],
  ["names and all", ["pause", "hpa", "a", "--all"], "name cannot be provided when a selector or --all is specified"],
  ["a name everywhere", ["pause", "hpa", "a", "-A"], "a resource cannot be retrieved by name across all namespaces"],
  ["both ends", ["pause", "hpa", "a", "--for", "2h", "--until", "18:00"], "--until and --for are mutually exclusive"],
  ["another kind", ["pause", "cluster", "prod"], "pause works only on hpa, not on clusters"],
  ["neither a name nor all", ["dry-run", "hpa"], "no name was specified"],
  [
    "no change to try",
    ["dry-run", "hpa", "a", "--dry-run"],
    "--dry-run is about a change: expected on or off at the end",
  ],
  ["no format of a comparison", ["dry-run", "hpa", "a", "-o", "name"], '-o: expected json or yaml, got "name"'],
])("refused: %s", async (_, args, message) => {
  const ran = await ebb(...args);
  expect([ran.stdout, ran.exitCode]).toEqual(["", 1]);
  expect(ran.stderr).toContain(message);
});

describe("moments", () => {
  // By this machine's clock, in any time zone.
  const noon = new Date(2026, 2, 1, 12, 0).getTime();
  const local = (day: number, hour: number, minute = 0, second = 0) =>
    new Date(2026, 2, day, hour, minute, second).getTime();

  test.each<[string, number]>([
    ["18:00", local(1, 18)],
    ["11:59", local(2, 11, 59)],
    ["12:00", local(2, 12)],
    ["12:00:01", local(1, 12, 0, 1)],
    ["tomorrow 08:00", local(2, 8)],
    ["2026-03-05 07:30", local(5, 7, 30)],
    ["2026-03-05T07:30:15", local(5, 7, 30, 15)],
  ])("%s", (text, at) => {
    expect(momentOf(text, noon)).toBe(at);
  });

  test.each(["2026-02-30 10:00", "24:00", "8:00", "soon", "", "2026-03-01", "tomorrow"])("%j is invalid", (text) => {
    expect(() => momentOf(text, noon)).toThrow(`or "tomorrow 08:00", got "${text}"`);
  });

  test.each(["2026-02-28T12:00:00Z", "2026-02-28 12:00"])("%s is past", (text) => {
    expect(() => momentOf(text, noon)).toThrow(`--until: expected a time in the future, got ${text}`);
  });

  test.each<[string, number]>([
    ["90s", 90_000],
    ["2h", 7_200_000],
    ["1h30m", 5_400_000],
    ["7d", 604_800_000],
    ["1d12h", 129_600_000],
    ["0d1s", 1000],
  ])("for %s", (text, duration) => {
    expect(momentAfter(text, now)).toBe(now + duration);
  });

  test.each(["", "2", "0s", "0d", "-1h", "3651d", "1w", "d", "2 h", "1h7d"])("for %j is invalid", (text) => {
    expect(() => momentAfter(text, now)).toThrow(
      `--for: expected a duration such as 90s, 2h, 1h30m or 7d, got "${text}"`,
    );
  });
});
