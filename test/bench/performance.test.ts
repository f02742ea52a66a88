import { growthPictures, roundPictures } from "../../bench/plots/performance";
import type { Measured } from "../../bench/rounds/measure";

const measured = (ms: number, own: number, apiServer: number): Measured => ({
  ...{ ms, cpu: { own, apiServer }, missed: 0, requests: {} },
});

const fleet = { name: "1,000 External", count: 1_000, periodSeconds: 10 };

test("each fleet has a picture of its time and one of its CPU time, with the medians of its runs", () => {
  const steady = [1_000, 3_000, 2_000].map((ms) => ({
    ebb: measured(ms, ms / 2, 100),
    upstream: measured(2 * ms, ms, 500),
  }));
  const memory = { ebb: 1, upstream: 1, apiServer: 1 };
  const pictures = roundPictures([{ fleet, pairs: { steady, moving: [], scaling: [] }, writesAlone: [], memory }]);
  expect(Object.keys(pictures)).toEqual(["rounds-1-000-external-wall.svg", "rounds-1-000-external-cpu.svg"]);
  expect(pictures["rounds-1-000-external-wall.svg"]).toContain(">steady, upstream<");
  expect(pictures["rounds-1-000-external-wall.svg"]).not.toContain("moving");
  expect(totalsIn(pictures["rounds-1-000-external-wall.svg"])).toEqual(["2", "4"]);
  expect(totalsIn(pictures["rounds-1-000-external-cpu.svg"])).toEqual(["1.1", "2.5"]);
});

test("a growth curve is drawn beside a linear one through its middle, without its point at 0", () => {
  const point = (count: number, cpuMs: number) => ({ count, cpuMs, wallMs: 1, megabytes: 1 });
  const linear = [point(0, 90), point(1_000, 200), point(10_000, 1_000), point(100_000, 10_000)];
  const worse = [point(0, 90), point(1_000, 200), point(10_000, 1_000), point(100_000, 90_000)];
  const curve = { what: "pods", runs: [worse, linear], ratios: [9, 1], middle: 10_000 } as const;
  const svg = growthPictures([curve])["growth-pods.svg"] ?? "";
  const [line, straight] = [...svg.matchAll(/points="([^"]+)"/g)].map(([, points]) => points?.split(" ") ?? []);
  expect(line).toHaveLength(3);
  expect(line?.slice(1)).toEqual(straight?.slice(1)); // the best run is linear from its middle on
  expect(line?.[0]).not.toBe(straight?.[0]);
});

/** What is written above the bars. */
function totalsIn(svg = ""): readonly (string | undefined)[] {
  return [...svg.matchAll(/class="middle" x="[\d.]+" y="[\d.]+">([\d.]+)</g)].map(([, total]) => total);
}
