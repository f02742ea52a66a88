import type { Pod } from "../../../lib/k8s/objects";
import { podTexts } from "../../../cli/understand/explain/page";
import { podDetail } from "../../../lib/core/recommend/from-pods";
import { cpu50, cpuUse, hpaWith, podOf, scaleOf } from "../../core/build";
import { factsWith, linesOf } from "./explained";

const cpu = (pods: readonly Pod[], use: Record<string, string>) =>
  factsWith({ hpa: hpaWith({ metrics: [cpu50] }), scale: scaleOf(4), pods, metrics: [cpuUse(use)] });
const podLine = (facts: ReturnType<typeof cpu>) => linesOf(facts, 10).find((line) => line.startsWith("  pods"));

test("the page says which pods counted, and which did not and why", () => {
  const pods = [
    ...[podOf("a"), podOf("b"), podOf("c", { phase: "Pending" })],
    ...[podOf("d"), podOf("e", { deleted: true }), podOf("f", { phase: "Failed" })],
  ];
  expect(podLine(cpu(pods, { a: "1", b: "1" }))).toBe(
    "  pods    2 of 6 counted; 1 not ready yet: c; 1 without a sample: d; 2 deleted or failed: e, f",
  );
});

test("also if none of them counted, so that nothing could be decided", () => {
  const pods = [podOf("a", { phase: "Pending" }), podOf("b")];
  const facts = cpu(pods, { a: "1" });
  expect(linesOf(facts, 10)[0]).toMatch(/^shop\/web stays at 4 replicas: cpu cannot be read/);
  expect(podLine(facts)).toBe("  pods    0 of 2 counted; 1 not ready yet: a; 1 without a sample: b");
});

test("an empty answer of the metrics API says nothing about pods", () => {
  expect(podLine(cpu([podOf("a")], {}))).toBeUndefined();
});

test("metrics that count the same pods share a line; others have one each", () => {
  const pods = podDetail({ ready: [podOf("a")], unready: [], missing: [], ignored: [] });
  const fewer = podDetail({ ready: [], unready: [podOf("a")], missing: [], ignored: [] });
  const reading = (metric: string, of: typeof pods) => ({ metric, asksFor: 1, notes: [], pods: of });
  expect(podTexts([reading("cpu", pods), reading("memory", pods)])).toEqual(["the only one counted"]);
  expect(podTexts([reading("cpu", fewer), reading("memory", pods)])).toEqual([
    "cpu: 0 of 1 counted; 1 not ready yet: a",
    "memory: the only one counted",
  ]);
  expect(podTexts([{ metric: "queue", asksFor: 1, notes: [] }])).toEqual([]);
});

test("a record of an older version has counts without names", () => {
  const pods = { ready: 3, unready: 2, missing: 0, ignored: 0 };
  expect(podTexts([{ metric: "cpu", asksFor: 1, notes: [], pods }])).toEqual(["3 of 5 counted; 2 not ready yet"]);
});

describe("what is kept of 10,000 pods", () => {
  const named = (count: number, name: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => podOf(name(index)));

  test("is a count and the first three names, in whatever order they are listed", () => {
    const pods = named(10_000, (index) => `web-${String(index).padStart(5, "0")}`);
    const detail = podDetail({ ready: [], unready: pods, missing: pods.toReversed(), ignored: [] });
    expect(detail).toEqual({
      ...{ ready: 0, unready: 10_000, missing: 10_000, ignored: 0 },
      unreadyPods: "web-00000, web-00001, web-00002",
      missingPods: "web-00000, web-00001, web-00002",
    });
    expect(podTexts([{ metric: "cpu", asksFor: null, notes: [], pods: detail }])).toEqual([
      "0 of 20000 counted; 10000 not ready yet: web-00000, web-00001, web-00002 and 9997 more; " +
        "10000 without a sample: web-00000, web-00001, web-00002 and 9997 more",
    ]);
  });

  test("stays small, however long the names are, and keeps what tells them apart", () => {
    const pods = named(10_000, (index) => `${"x".repeat(240)}-${String(index).padStart(5, "0")}`);
    const detail = podDetail({ ready: pods, unready: pods, missing: pods, ignored: pods });
    expect(JSON.stringify(detail).length).toBeLessThan(800);
    expect(detail.unreadyPods?.split(", ")).toEqual(
      ["00000", "00001", "00002"].map((end) => `${"x".repeat(31)}…${"x".repeat(25)}-${end}`),
    );
  });
});
