import { parse } from "yaml";
import { expositionOf } from "../../lib/read/exposition";
import { exampleText } from "./examples";
import { board, boardQueries, filledIn } from "./grafana";

/** test/e2e/grafana.test.ts asks promtool what the queries answer, and when the alerts fire. */
interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

const suffixes = { gauge: [""], counter: [""], histogram: ["_bucket", "_sum", "_count"] } as const;

/** All that ebb emits: a family without series has its type. */
const emitted = new Set(
  [...expositionOf({ shards: [], hpas: [] }, 0, "prometheus")]
    .join("")
    .split("\n")
    .flatMap((line) => {
      const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      return suffixes[type as keyof typeof suffixes]?.map((suffix) => `${name}${suffix}`) ?? [];
    }),
);

const alerts = () => (parse(exampleText("grafana/alerts.yaml")) as Rules).groups.flatMap(({ rules }) => rules);
const variables = () => board().templating.list.flatMap(({ definition }) => definition ?? []);
const metricsIn = (text: string) =>
  text.match(/\b(?:kube_|horizontal_pod_|ebb_)\w+/g)?.filter((name) => name !== "ebb_") ?? [];

test.each([...boardQueries().map(({ expr }) => expr), ...variables(), ...alerts().map(({ expr }) => expr)])(
  "ebb emits the metrics of %s",
  (text) => {
    const named = metricsIn(text);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !emitted.has(name))).toEqual([]);
  },
);

test("a metric that ebb does not emit would be found", () => {
  expect(emitted.size).toBeGreaterThan(25);
  expect(metricsIn('sum(ebb_hpa_stat{a="kube_x"})')).toEqual(["ebb_hpa_stat", "kube_x"]);
  expect(emitted.has("ebb_hpa_stat")).toBe(false);
});

test("each panel has an id, a place and a sentence of its own, and each query its letter", () => {
  const { panels } = board();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { type, title, description, targets = [] } of panels) {
    if (type === "row") continue;
    expect([title, description]).toEqual([title, expect.stringMatching(/\.$/)]);
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(Math.max(1, targets.length));
  }
  expect(panels.filter(({ type }) => type === "row").map(({ title }) => title)).toEqual([
    "Fleet",
    "HPA $namespace/$hpa",
  ]);
});

test("the board's queries need no variable that it lacks", () => {
  const names = [...board().templating.list.map(({ name }) => name), "__rate_interval"];
  const given = Object.fromEntries(names.map((name) => [name, "x"]));
  for (const { expr } of boardQueries()) expect(() => filledIn(expr, given)).not.toThrow();
});
