import { total } from "./api-requests";
import type { Measured } from "./measure";
import type { Pair, Runs } from "./runs";

/** What the rounds should be. */
export interface Check {
  readonly name: string;
  readonly target: string;
  /** Of each run. */
  readonly figures: readonly number[];
  readonly isMet: boolean;
  /** A ratio that holds on any machine fails the bench; others are shown beside their target. */
  readonly mustHold: boolean;
}

type Of = (pair: Pair) => number;

interface Target {
  readonly what: string;
  readonly unit: string;
  readonly of: Of;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly mustHold?: boolean;
}

const times = (of: (measured: Measured) => number) => (pair: Pair) => of(pair.upstream) / of(pair.ebb);
const share = (of: (measured: Measured) => number) => (pair: Pair) => of(pair.ebb) / of(pair.upstream);

const wall: Target = { what: "faster than upstream", unit: "×", of: times(({ ms }) => ms), atLeast: 4 };
const ownCpu: Target = { what: "CPU beside upstream's", unit: "×", of: share(({ cpu }) => cpu.own), atMost: 0.5 };
const apiServerCpu: Target = {
  ...{ what: "CPU of the API server beside upstream's", unit: "×", atMost: 0.5, mustHold: true },
  of: share(({ cpu }) => cpu.apiServer),
};
const seconds = (atMost: number): Target => ({ what: "wall", unit: "s", of: ({ ebb }) => ebb.ms / 1_000, atMost });

const targets: Readonly<Record<"steady" | "moving", readonly Target[]>> = {
  steady: [
    seconds(0.35),
    wall,
    ownCpu,
    apiServerCpu,
    { what: "API requests", unit: "", of: ({ ebb }) => total(ebb.requests), atMost: 5, mustHold: true },
  ],
  moving: [seconds(0.7), wall, ownCpu, apiServerCpu],
};

/** A shared machine is noisy: a target is missed only if every run misses it. */
export function checksOf(runs: Pick<Runs, "steady" | "moving">): readonly Check[] {
  return (["steady", "moving"] as const).flatMap((load) =>
    targets[load].map(({ what, unit, of, atMost = Infinity, atLeast = -Infinity, mustHold = false }) => {
      const figures = runs[load].map(of);
      const target = atMost === Infinity ? `≥ ${atLeast} ${unit}` : `≤ ${atMost} ${unit}`;
      const isMet = figures.some((figure) => figure <= atMost && figure >= atLeast);
      return { name: `${load}: ${what}`, target: target.trim(), figures, isMet, mustHold };
    }),
  );
}
