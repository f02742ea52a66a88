import type { GrowthCurve } from "../growth";
import type { FleetRuns } from "../rounds/fleet-runs";
import type { Measured } from "../rounds/measure";
import { median } from "../harness/report";
import type { Pair } from "../rounds/runs";
import { lineChart } from "./line-chart";
import { stackedBars } from "./stacked-bars";

/** Pictures by file name. */
export type Pictures = Readonly<Record<string, string>>;

/** For each fleet, the wall and the CPU time of a round of ebb's beside one of upstream's. */
export function roundPictures(fleets: readonly FleetRuns[]): Pictures {
  return Object.fromEntries(
    fleets.flatMap(({ fleet, pairs }) => {
      const rounds = Object.entries(pairs)
        .filter(([, each]) => each.length > 0)
        .flatMap(([situation, each]) => sides.map((side) => barOf(situation, side, each)));
      const file = fleet.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
      const bars = (values: (round: Round) => readonly number[]) =>
        rounds.map((round) => ({ name: round.name, values: values(round) }));
      return [
        [
          `rounds-${file}-wall.svg`,
          stackedBars({
            ...{ title: `One round of ${fleet.name}: time`, label: "wall, s", parts: ["wall"] },
            bars: bars(({ wall }) => [wall]),
          }),
        ],
        [
          `rounds-${file}-cpu.svg`,
          stackedBars({
            ...{ title: `One round of ${fleet.name}: CPU time`, label: "CPU, s" },
            parts: ["the controller", "the API server"],
            bars: bars(({ own, apiServer }) => [own, apiServer]),
          }),
        ],
      ] as const;
    }),
  );
}

const sides = ["ebb", "upstream"] as const;

interface Round {
  readonly name: string;
  readonly wall: number;
  readonly own: number;
  readonly apiServer: number;
}

function barOf(situation: string, side: (typeof sides)[number], pairs: readonly Pair[]): Round {
  const of = (figure: (measured: Measured) => number) => median(pairs.map((pair) => figure(pair[side]))) / 1_000;
  return {
    name: `${situation}, ${side}`,
    wall: of(({ ms }) => ms),
    own: of(({ cpu }) => cpu.own),
    apiServer: of(({ cpu }) => cpu.apiServer),
  };
}

/** CPU time of a round against the number of HPAs or pods, beside a line on which each one costs the same. */
export function growthPictures(curves: readonly GrowthCurve[]): Pictures {
  return Object.fromEntries(
    curves.map(({ what, runs, ratios, middle }) => {
      const best = ratios.indexOf(Math.min(...ratios));
      // A log axis has no place for 0 pods.
      const points = (runs[best] ?? []).filter(({ count }) => count > 0);
      const each = (points.find(({ count }) => count === middle)?.cpuMs ?? NaN) / middle;
      const chart = lineChart({
        title: `CPU time of a round, by ${what}`,
        x: { label: what, scale: "log" },
        y: { label: "CPU of ebb's process, ms", scale: "log" },
        series: [
          { name: "measured", points: points.map(({ count, cpuMs }) => [count, cpuMs]) },
          { name: "linear", points: points.map(({ count }) => [count, count * each]), dashed: true },
        ],
      });
      return [`growth-${what.toLowerCase()}.svg`, chart] as const;
    }),
  );
}
