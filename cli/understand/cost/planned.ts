import { descriptionOf, descriptions } from "../../../lib/sources/descriptions";
import { failure } from "../../shell/failure";
import type { Plan, PlannedRead } from "./plan";
import { readsOf } from "./source-reads";

export interface PlanOptions {
  readonly hpas?: string;
  readonly clusters?: string;
  readonly period?: string;
  readonly sources?: readonly string[];
  readonly watched?: string;
}

const bounds = { hpas: [1, 10_000_000], clusters: [1, 100_000], period: [1, 3_600] } as const;

/** Spreads HPAs evenly over the clusters; by default, with a queue each. */
export function plannedBy({ hpas, clusters, period, sources, watched }: PlanOptions, syncMemory: number): Plan {
  const count = wholeNumber("--clusters", clusters ?? "1", ...bounds.clusters);
  const total = wholeNumber("--hpas", hpas ?? "100", ...bounds.hpas);
  const periodSeconds = wholeNumber("--period", period ?? "15", ...bounds.period);
  const queries = sources === undefined ? { sqs: total } : queriesOf(sources);
  const share = (of: number, index: number) => Math.floor(of / count) + (index < of % count ? 1 : 0);
  return {
    syncMemory,
    ...(watched === undefined ? {} : { watched: wholeNumber("--watched", watched, 0, bounds.hpas[1]) }),
    clusters: Array.from({ length: count }, (_, index) => ({
      hpas: share(total, index),
      periodSeconds,
      reads: Object.entries(queries).flatMap(([kind, of]) => readsOfExamples(kind, share(of, index), periodSeconds)),
    })),
  };
}

/** Each query reads as much as the kind's example. */
function readsOfExamples(kind: string, count: number, periodSeconds: number): readonly PlannedRead[] {
  const parameters = descriptionOf(kind)?.example ?? {};
  const ofOne = readsOf([{ source: kind, metricName: kind, parameters, periodSeconds }]);
  return count === 0 ? [] : ofOne.map((read) => ({ ...read, count: read.count * count }));
}

/** `sqs=1000`, or several separated by commas. @throws Failure */
function queriesOf(given: readonly string[]): Readonly<Record<string, number>> {
  const pairs = given
    .flatMap((text) => text.split(","))
    .map((text): readonly [string, number] => {
      const [kind = "", count, ...more] = text.split("=");
      if (count === undefined || more.length > 0)
        throw failure(`--sources: expected KIND=NUMBER, such as sqs=1000, got ${JSON.stringify(text)}`);
      if (!Object.hasOwn(descriptions, kind))
        throw failure(
          `--sources: expected a kind among ${Object.keys(descriptions).join(", ")}, got ${JSON.stringify(kind)}`,
        );
      return [kind, wholeNumber(`--sources ${kind}`, count, 0, bounds.hpas[1])];
    });
  return Object.fromEntries(pairs);
}

/** @throws Failure */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw failure(`${flag}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(text)}`);
}
