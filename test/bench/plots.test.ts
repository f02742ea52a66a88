import { scaleOf, shortNumber } from "../../bench/plots/axis";
import { lineChart } from "../../bench/plots/line-chart";
import { shareBars } from "../../bench/plots/share-bars";
import { stackedBars } from "../../bench/plots/stacked-bars";

test.each([
  { name: "a log axis ends at powers of ten", axis: "log", values: [30, 2_000], ticks: [10, 100, 1_000, 10_000] },
  { name: "one value still gets a decade", axis: "log", values: [100], ticks: [100, 1_000] },
  { name: "a linear axis begins at 0", axis: "linear", values: [3, 47], ticks: [0, 10, 20, 30, 40, 50] },
  { name: "all are 0", axis: "linear", values: [0], ticks: [0, 1] },
] as const)("$name", ({ axis, values, ticks }) => {
  expect(scaleOf({ label: "HPAs", scale: axis }, values).ticks).toEqual(ticks);
});

test("a log axis has no place for zero, and says so", () => {
  expect(() => scaleOf({ label: "lag, s", scale: "log" }, [0, 1])).toThrow("lag, s: expected values above 0");
});

test.each([
  [0.25, "0.25"],
  [1_500, "1.5k"],
  [1_000_000, "1M"],
])("%d is %s", (value, expected) => expect(shortNumber(value)).toBe(expected));

test("a line chart places its points between its axes, the first on the left and the largest on top", () => {
  const svg = lineChart({
    title: "Lag & size",
    x: { label: "HPAs", scale: "log" },
    y: { label: "lag, s", scale: "linear" },
    series: [{ name: "p50", points: [[1_000, 0], [1_000_000, 20]] }], // prettier-ignore
  });
  expect(svg).toContain('points="72,356 736,76"');
  expect(svg).toContain("<title>Lag &amp; size</title>");
});

test("stacked bars are as high together as their sum", () => {
  const svg = stackedBars({
    title: "Bill",
    label: "$",
    parts: ["sqs", "table"],
    bars: [{ name: "at rest", values: [30, 10] }],
  });
  const heights = [...svg.matchAll(/class="f[01]" x="\d+" y="\d+" width="90" height="(\d+)"/g)].map(([, high]) => Number(high)); // prettier-ignore
  // The axis is 0 to 40 over 280 pixels.
  expect(heights).toEqual([210, 70]);
  expect(svg).toContain(">40</text>");
});

test("a share above its limit passes the line", () => {
  const svg = shareBars({ title: "Limits", label: "of the limit", series: ["peak"], from: 0.01, rows: [{ name: "SQS", values: [5] }] }); // prettier-ignore
  const line = Number(/class="limit" x1="([\d.]+)"/.exec(svg)?.[1]);
  const bar = Number(/class="f0" x="250" y="\d+" width="([\d.]+)" height="11"/.exec(svg)?.[1]);
  expect(250 + bar).toBeGreaterThan(line);
  expect(svg).toContain("500 %");
});

test("a share of nothing has no bar", () => {
  const svg = shareBars({ title: "Limits", label: "of the limit", series: ["a", "b"], from: 0.01, rows: [{ name: "SQS", values: [0, 0.5] }] }); // prettier-ignore
  expect([...svg.matchAll(/class="f\d" x="250"/g)].map(([bar]) => bar)).toEqual(['class="f1" x="250"']);
});

test("more series than colours are refused", () => {
  const series = Array.from({ length: 8 }, (_, at) => ({ name: `s${at}`, points: [[1, 1]] as const }));
  const axis = { label: "x", scale: "linear" } as const;
  expect(() => lineChart({ title: "Too many", x: axis, y: axis, series })).toThrow("at most 7 series, got 8");
});
