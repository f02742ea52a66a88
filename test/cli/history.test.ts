import { asHpaKey, hpaKey } from "../../lib/model/hpa-key";
import { dayMs, hourMs, minuteMs } from "../../lib/k8s/time";
import { flagsOf, type HistorySample, type RosterHpa } from "../../lib/model/stored/history";
import { putHpa } from "../../local/entries";
import { hpaWith } from "../core/build";
import { recordHistory } from "./recorded-history";
import { now, tableForTests } from "./table";

const { table, register, run } = tableForTests();
const spec: RosterHpa = {
  target: { kind: "Deployment", name: "web" },
  ...{ minReplicas: 0, maxReplicas: 10 },
  metrics: [{ label: "sqs(queue=orders)", name: "sqs", type: "External", unit: "average", target: 5 }],
};

const sample = (current: number, value: number | null, flags: HistorySample["flags"] = 0): HistorySample => ({
  ...{ current, desired: current, recommended: current, stabilized: current, flags, conditions: 0 },
  metrics: [{ value, averageValue: null }],
});

interface Given {
  readonly cluster: string;
  readonly points: readonly (readonly [minutesAgo: number, HistorySample | null])[];
  readonly seen?: number;
  readonly specs?: RosterHpa;
}

/** A shard whose slots have left these points. */
async function recorded({ cluster, points, seen = now, specs = spec }: Given): Promise<void> {
  await register(cluster);
  await putHpa(table(), cluster, hpaWith());
  await recordHistory(table(), {
    cluster,
    hpas: new Map([[hpaKey("shop", "web"), specs]]),
    rows: points.map(([ago, found]) => [now - ago * minuteMs, [found]] as const),
    record: { packed: now - 3 * dayMs, seen },
    shard: { slot: seen, heartbeat: seen },
  });
}

const busy: Given["points"] = [
  [60, sample(2, 5)],
  [45, sample(4, 12.5, flagsOf(["rate"]))],
  [30, sample(7, 6, flagsOf(["stabilization"]))],
  [20, null],
  [10, sample(0, 0)],
];

test("a chart shows replicas, metrics with targets, and what held the size; a gap stays empty", async () => {
  await recorded({ cluster: "chart", points: busy });
  const { stdout, stderr, exitCode } = await run(["history", "hpa", "web", "-n", "shop", "--cluster", "chart"]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n").slice(1)).toMatchInlineSnapshot(`
    [
      "",
      "replicas (at most 10; ● scaled)",
      "         ▲",
      "        7┤                                 ┏━━━━━━━━━━━━",
      "         │                                 ┃",
      "         │                                 ┃",
      "         │                ┏━━━━━━━━━━━━━━━━┛",
      "         │                ┃",
      "         │━━━━━━━━━━━━━━━━┛",
      "         │",
      "        0┤                                                        ━━━━━━━━━━━━",
      "         │",
      "         └┬────────────────┬────────────────┬───────────────┬─────────────────▶",
      "      11:00            11:15            11:30           11:44",
      "  held by                  rrrrrrrrrrrrrrrrrwwwwwwwwwwww",
      "          w stabilization window, r rate policy",
      "",
      "sqs(queue=orders) (target 5 a pod)",
      "         ▲",
      "     12.5┤                ┏━━━━━━━━━━━━━━━━┓",
      "         │                ┃                ┃",
      "         │                ┃                ┃",
      "         │                ┃                ┃",
      "        5┤━━━━━━━━━━━━━━━━┛                ┗━━━━━━━━━━━━",
      "         │",
      "         │",
      "        0┤                                                        ━━━━━━━━━━━━",
      "         │",
      "         └┬────────────────┬────────────────┬───────────────┬─────────────────▶",
      "      11:00            11:15            11:30           11:44",
      "",
    ]
  `);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test("each change as a table, as data and for a spreadsheet", async () => {
  await recorded({ cluster: "rows", points: busy });
  const args = (output: string) => ["history", "hpa/web", "-n", "shop", "--cluster", "rows", "-o", output];
  expect((await run(args("csv"))).stdout.split("\r\n")).toEqual([
    "time,replicas,desired,recommended,stabilized,min,max,held by,sqs(queue=orders) (a pod),target of sqs(queue=orders)",
    "2026-03-01T11:00:00.000Z,2,2,2,2,0,10,,5,5",
    "2026-03-01T11:15:00.000Z,4,4,4,4,0,10,rate,12.5,5",
    "2026-03-01T11:30:00.000Z,7,7,7,7,0,10,stabilization,6,5",
    "2026-03-01T11:40:00.000Z,,,,,0,10,,,5",
    "2026-03-01T11:50:00.000Z,0,0,0,0,0,10,,0,5",
    "",
  ]);
  const wide = (await run(args("wide"))).stdout.split("\n").map((line) => line.trimEnd().split(/ {2,}/));
  expect(wide[0]?.slice(0, 3)).toEqual(["TIME", "REPLICAS", "DESIRED"]);
  expect(wide[4]?.slice(1, 5)).toEqual(["?", "?", "?", "?"]);
  const data = JSON.parse((await run(args("json"))).stdout) as { readonly points: readonly object[] };
  expect(data).toMatchObject({ cluster: "rows", knownUntil: "2026-03-01T12:00:00.000Z" });
  expect(data.points.map((point) => (point as { currentReplicas?: number }).currentReplicas)).toEqual([
    2,
    4,
    7,
    undefined,
    0,
  ]);
});

test("a cell is no formula, and no text breaks a line or a terminal", async () => {
  const label = '=HYPERLINK("x")\u001b[2J\n';
  const metrics = [{ label, name: "m", type: "External", unit: "value" as const, target: 1 }];
  await recorded({ cluster: "hostile", points: [[30, sample(1, -2)]], specs: { ...spec, metrics } });
  const args = ["history", "hpa", "web", "-n", "shop", "--cluster", "hostile"];
  const csv = (await run([...args, "-o", "csv"])).stdout;
  expect(csv).toContain(`"'=HYPERLINK(""x"")`);
  expect(csv.split("\r\n")[1]).toMatch(/,-2,1$/);
  expect(csv).not.toContain("\u001b");
  for (const output of [[], ["-o", "wide"], ["-o", "json"]])
    expect((await run([...args, ...output])).stdout).not.toContain("\u001b");
});

test("two weeks have a chart of their width, with the days", async () => {
  const points: Given["points"] = Array.from(
    { length: 48 },
    (_, hour) => [(48 - hour) * 60, sample(hour % 7, hour)] as const,
  );
  await recorded({ cluster: "weeks", points });
  const args = ["history", "hpa", "web", "-n", "shop", "--cluster", "weeks", "--since", "14d"];
  const { stdout } = await run(args, { columns: 100 });
  expect(stdout).toMatch(/15 Feb .*22 Feb /);
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("what came after the last slot is unknown, and said", async () => {
  await recorded({ cluster: "old", points: [[300, sample(2, 5)]], seen: now - 2 * hourMs });
  const args = ["history", "hpa", "web", "-n", "shop", "--cluster", "old", "--since", "6h"];
  expect((await run(args)).stderr).toMatch(/^Nothing is known after .*10:00:00/);
});

test.each<[string, readonly string[], RegExp]>([
  ["a time that ends before it begins", ["hpa", "web", "--from", "1h", "--to", "2h"], /begins before it ends/],
  ["a time that is none", ["hpa", "web", "--since", "soon"], /--since: expected a time such as 03:00/],
  ["another kind", ["source", "web"], /history draws one HPA/],
  ["two names", ["hpa/web", "hpa/api"], /history draws one HPA|there is no need/],
  ["an unknown HPA", ["hpa", "wbe"], /"wbe" not found/],
  ["an HPA of which nothing is known", ["hpa", "web", "--from", "5d", "--to", "4d"], /nothing is known of shop\/web/],
])("%s is refused with what to do", async (_name, args, expected) => {
  if (!(await run(["get", "clusters", "errors"])).stdout.includes("errors"))
    await recorded({ cluster: "errors", points: [[30, sample(1, 1)]] });
  const { exitCode, stderr } = await run(["history", ...args, "-n", "shop", "--cluster", "errors"]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(expected)]);
});

test("a table without a history says so", async () => {
  await register("none");
  await putHpa(table(), "none", hpaWith());
  const { exitCode, stderr } = await run([
    "history",
    "hpa",
    asHpaKey("shop/web").slice(5),
    "-n",
    "shop",
    "--cluster",
    "none",
  ]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("the table keeps no history")]);
});
