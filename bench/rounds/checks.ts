import { type Measured, total } from "./measure";
import type { FleetRuns, Situation } from "./fleet-runs";
import type { Pair } from "./runs";

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
const ratios = [wall, ownCpu, apiServerCpu];
const seconds = (atMost: number): Target => ({ what: "wall", unit: "s", of: ({ ebb }) => ebb.ms / 1_000, atMost });
const requests: Target = {
  ...{ what: "API requests", unit: "", atMost: 5, mustHold: true },
  of: ({ ebb }) => total(ebb.requests),
};
const byFive = { what: "faster than upstream, five HPAs at a time", unit: "×", atLeast: 4 };
const byDefaults = { what: "faster than upstream with its defaults", unit: "×", atLeast: 100 };

/** The quick form's, which have targets of their own. */
const ofThousand: Readonly<Record<Situation, readonly Target[]>> = {
  steady: [seconds(0.35), ...ratios, requests],
  moving: [seconds(0.7), ...ratios],
  scaling: shown(ratios),
};
const ofOthers = { steady: shown(ratios), moving: shown(ratios), scaling: shown(ratios) };

function shown(targets: readonly Target[]): readonly Target[] {
  return targets.map((target) => ({ ...target, mustHold: false }));
}

/** A shared machine is noisy: a target is missed only if every run misses it. */
export function checksOf({ fleet, pairs, byDefault, fiveAtOnce }: FleetRuns): readonly Check[] {
  const targets = fleet.pods === undefined && fleet.count === 1_000 ? ofThousand : ofOthers;
  const checks = (["steady", "moving", "scaling"] as const).flatMap((situation) => {
    const measured = pairs[situation];
    const own = measured.length === 0 ? [] : targets[situation];
    return own.map((target) => checkOf(`${fleet.name}, ${situation}`, target, measured.map(target.of)));
  });
  const beside = (other: Measured, situation: Situation) => pairs[situation].map(({ ebb }) => other.ms / ebb.ms);
  const besideFive = (["steady", "moving"] as const).flatMap((situation) =>
    fiveAtOnce === undefined
      ? []
      : checkOf(`${fleet.name}, ${situation}`, byFive, beside(fiveAtOnce[situation], situation)),
  );
  if (byDefault === undefined) return [...checks, ...besideFive];
  return [...checks, ...besideFive, checkOf(`${fleet.name}, steady`, byDefaults, beside(byDefault, "steady"))];
}

function checkOf(of: string, target: Omit<Target, "of">, figures: readonly number[]): Check {
  const { what, unit, atMost = Infinity, atLeast = -Infinity, mustHold = false } = target;
  const text = atMost === Infinity ? `≥ ${atLeast} ${unit}` : `≤ ${atMost} ${unit}`;
  const isMet = figures.some((figure) => figure <= atMost && figure >= atLeast);
  return { name: `${of}: ${what}`, target: text.trim(), figures, isMet, mustHold };
}
