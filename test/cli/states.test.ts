import { fleetRow } from "../../cli/look/dashboard/fleet";
import { columnWord, type HpaSigns, type HpaState, hpaStates, holdWords, statesOf } from "../../lib/model/hpa-states";
import { readOperations } from "../../lib/model/entry/annotations";
import { flagsIn, flagsOf, historyFlags, signsIn } from "../../lib/model/stored/history";
import { sampleOf } from "../../lib/sync/history/sample";
import { at, noon, situationWith } from "../core/build";
import { kinds, type Recorded, type RecordedKind, recordFleet } from "../web/recorded-fleet";
import { factsWith, stateAfter } from "./explain/explained";
import { tableForTests } from "./table";

const { table, run } = tableForTests();
const signal = new AbortController().signal;

const calm: HpaSigns = {
  ...{ isFailing: false, isLeftAtZero: false, isDryRun: false, isScaling: false },
  ...{ holds: [], size: 2 },
};

test.each<[string, Partial<HpaSigns>, readonly HpaState[]]>([
  ["as it should be", {}, ["steady"]],
  ["paused, whatever else", { halt: "paused", isFailing: true, isDryRun: true }, ["paused"]],
  ["never synced", { halt: "waiting", size: null }, ["waiting"]],
  ["a metric that cannot be read", { isFailing: true, holds: ["unknownMetric"] }, ["failing", "held"]],
  ["the scale cannot be read", { isFailing: true, size: null }, ["failing"]],
  ["at zero", { size: 0, holds: ["minReplicas"] }, ["atZero"]],
  ["at another's zero", { size: 0, isLeftAtZero: true }, ["notOurZero"]],
  ["at its maximum", { size: 5, holds: ["maxReplicas"] }, ["atMax"]],
  ["at its minimum", { size: 1, holds: ["minReplicas"] }, ["steady"]],
  ["at the least size above zero", { size: 2, holds: ["from"] }, ["steady"]],
  ["limited on the way up", { holds: ["rate"], isScaling: true }, ["held", "scaling"]],
  ["a dry run never scales, so nothing holds it", { isDryRun: true, holds: ["maxReplicas", "rate"] }, ["dryRun"]],
  ["a dry run at zero", { isDryRun: true, size: 0, isScaling: true }, ["dryRun", "atZero"]],
])("%s", (_, signs, states) => {
  expect(statesOf({ ...calm, ...signs })).toEqual(states);
});

test("a history's flags are states and holds of the one list, in the order of the stored bits", () => {
  expect(historyFlags.filter((flag) => !(flag in holdWords) && !(flag in hpaStates))).toEqual([]);
  expect(historyFlags.indexOf("notOurZero")).toBe(11);
  const flags = flagsOf(["busy", "stabilization"]);
  expect([flags, flagsIn(flags)]).toEqual([4097, ["stabilization", "busy"]]);
});

const names = Object.keys(kinds) as readonly RecordedKind[];
const fleet = names.map((kind): Recorded => ({ cluster: "prod", namespace: "shop", name: kind.toLowerCase(), kind }));

/** What each place says, as its first word. */
const said: Readonly<Record<RecordedKind, HpaState>> = {
  ...{ atZero: "atZero", steady: "steady", held: "held", atMax: "atMax", failing: "failing" },
  ...{ notOurZero: "notOurZero", paused: "paused", dryRun: "dryRun", busy: "held" },
};

describe("lists, explain, top, the page, the history and its metrics say the same", () => {
  let wide: readonly string[];
  beforeAll(async () => {
    await recordFleet(table(), fleet, signal);
    const { stdout } = await run("get hpa -n shop -o wide --no-headers --cluster prod".split(" "));
    wide = stdout.trimEnd().split("\n");
  });

  test.each(names)("%s", async (kind) => {
    const state = said[kind];
    const name = kind.toLowerCase();
    const row = wide.find((line) => line.startsWith(`${name} `))?.trimEnd() ?? "";
    const words = row.split(/ +/).at(-1)?.split(",") ?? [];
    const { stdout } = await run(["explain", "hpa", name, "-n", "shop", "--cluster", "prod", "-o", "json"]);
    const { states } = JSON.parse(stdout) as { readonly states: readonly HpaState[] };
    expect([states[0], words]).toEqual([state, states.map(columnWord)]);
    const page = await run(["explain", "hpa", name, "-n", "shop", "--cluster", "prod"]);
    expect(page.stdout).toContain(`  state   ${states.map((one) => hpaStates[one].label).join(", ")}\n`);
    const top = await run(["top", "-n", "shop", "--cluster", "prod"]);
    expect(top.stdout).toMatch(new RegExp(`^${columnWord(state)} +${name} `, "m"));
    expect(fleetRow(storedFacts(kind), at(10)).state).toBe(state);
    expect(statesOf(signsIn(sampleOfKind(kind)))).toEqual(states);
  });

  test("status counts them", async () => {
    const { stdout } = await run(["status", "--cluster", "prod", "-o", "json"]);
    const { clusters } = JSON.parse(stdout) as { readonly clusters: readonly [{ readonly states: object }] };
    const firsts = Object.fromEntries(names.map((kind) => [said[kind], 1]));
    expect(clusters[0].states).toMatchObject({ ...firsts, held: 3 });
  });
});

function annotated(kind: RecordedKind) {
  const { situation, ...rest } = kinds[kind];
  const full = situationWith(situation);
  const annotations = "annotations" in rest ? rest.annotations : {};
  return { ...full, hpa: { ...full.hpa, metadata: { ...full.hpa.metadata, annotations } } };
}

function storedState(kind: RecordedKind) {
  const warning = { type: "Warning", reason: "FailedGetExternalMetric", message: "no answer" } as const;
  return { ...stateAfter(annotated(kind)), ...(kind === "failing" && { warnings: [warning], failingSince: noon }) };
}

function storedFacts(kind: RecordedKind) {
  return factsWith({}, { entry: { hpa: annotated(kind).hpa }, state: storedState(kind) });
}

function sampleOfKind(kind: RecordedKind) {
  const { hpa } = annotated(kind);
  const operations = readOperations(hpa.metadata);
  if ("errors" in operations) throw new Error(operations.errors.join());
  return sampleOf(storedState(kind), { hpa, operations }, at(10));
}
