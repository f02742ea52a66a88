import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import type { Story } from "../stories/story";
import type { WorldClock } from "../world/clock";
import type { Invocation } from "../world/wire";
import type { FarTarget } from "./books";
import type { WorkerChecks } from "./busy";
import { isSame } from "./landing";
import { type IntentRecord, isActive, type Ledger } from "./ledger";
import { inBounds, recommend } from "./oracle";

export interface CalmDeps {
  readonly clock: WorldClock;
  readonly story: Story;
  readonly epoch: number;
  readonly ledgers: () => Iterable<Ledger>;
  readonly sizeOf: (key: string) => FarTarget | undefined;
  /** What the metrics really are; undefined: unknown. */
  readonly valuesOf: (key: string) => readonly (number | undefined)[];
  readonly stateOf: (ledger: Ledger) => State | undefined;
  /** The state as people see it. */
  readonly shownOf: (ledger: Ledger) => State | undefined;
  readonly shards: () => readonly Shard[];
  readonly violated: (what: string) => void;
  readonly workers: Pick<WorkerChecks, "left" | "sparedOf">;
}

/** After the faults: every healthy HPA is where it would be without them, beside the ones that stay broken. */
export function watchCalm({
  clock,
  story,
  epoch,
  ledgers,
  sizeOf,
  valuesOf,
  stateOf,
  shownOf,
  shards,
  violated,
  workers,
}: CalmDeps) {
  function check(): void {
    for (const ledger of ledgers()) for (const what of judge(ledger)) violated(`calm: ${what}`);
    for (const cluster of new Set(story.hpas.map(({ cluster = "prod" }) => cluster)))
      for (const what of uncovered(shards().filter((shard) => shard.cluster === cluster)))
        violated(`calm: ${what} (${cluster})`);
  }

  function judge(ledger: Ledger): readonly string[] {
    return [...judgeSize(ledger), ...workers.left(ledger.key)];
  }

  function judgeSize(ledger: Ledger): readonly string[] {
    const { key } = ledger;
    const entry = ledger.versions.at(-1)?.entry;
    const target = sizeOf(key);
    const state = stateOf(ledger);
    if (entry === undefined) {
      const isDeleted = !ledger.isSpoiled && state !== undefined;
      return isDeleted ? [`${key} is deleted, and its state is still there`] : [];
    }
    if (ledger.isSpoiled || !isActive(entry) || target === undefined || ledger.outUntil > clock.now) return [];
    const { replicas } = target;
    if (replicas === 0 && ledger.isZeroOurs !== true) return [];
    const wanted = recommend(entry.spec, replicas, valuesOf(key));
    if (typeof wanted !== "number") return [];
    const expected = Math.max(inBounds(entry.spec, wanted), Math.min(workers.sparedOf(key, entry), replicas));
    const found: string[] = [];
    if (replicas !== expected) found.push(`${key} has ${replicas} replicas, expected ${expected}`);
    // While the target has its resourceVersion, its write may still be applied.
    if (state?.intent !== undefined && state.intent.resourceVersion !== String(target.resourceVersion))
      found.push(`${key} still has an intent`);
    if (shards().some(({ behind }) => Object.hasOwn(behind, key))) found.push(`${key} is behind`);
    const condition = state?.status.conditions?.find(({ type }) => type === "ScaledToZero");
    if (replicas === 0 && condition?.status !== "True") found.push(`${key} is at zero, and no condition says so`);
    return [...found, ...unrecorded(ledger), ...outdated(shownOf(ledger), target, valuesOf(key))];
  }

  return {
    begin(): void {
      for (const atMs of story.checksMs) clock.after(epoch + atMs - clock.now, undefined, check);
    },
  };
}

/** Nothing has moved for minutes, so what is shown is how it is. */
function outdated(shown: State | undefined, { replicas }: FarTarget, values: readonly (number | undefined)[]) {
  if (shown === undefined || replicas === 0) return [];
  return (shown.status.currentMetrics ?? []).flatMap(({ external }, index) => {
    const [value, average] = [values[index], external?.current.averageValue];
    if (value === undefined || average === undefined) return [];
    const expected = Math.ceil((value * 1000) / replicas);
    const found = average.endsWith("m") ? Number(average.slice(0, -1)) : Number(average) * 1000;
    return found === expected ? [] : [`metric ${index} shows ${average}, expected ${expected}m`];
  });
}

/** Every scaling since the HPA exists has a decision and was reported, unless nobody could know of it. */
function unrecorded(ledger: Ledger): readonly string[] {
  const { key, landings, intentRecords, decisions, lines, writers, bornAt, excusedUntil } = ledger;
  const isOf = (by: IntentRecord, records: readonly { readonly at: number; readonly to: number }[]) => {
    const times = records.filter(({ to }) => to === by.to).map(({ at }) => at);
    return isSame(
      by,
      intentRecords.filter(({ decidedAt }) => times.includes(decidedAt)),
    );
  };
  return landings.slice(-20).flatMap((landing) => {
    const { by, at, from, to } = landing;
    if (by === "hand" || landing.isUnnamed === true || at < Math.max(bornAt, excusedUntil)) return [];
    const next = landings[landings.indexOf(landing) + 1];
    if (landing.reportedAt === undefined && next?.by === "hand") return [];
    if (!isOf(by, decisions)) return [`${key} ${from} → ${to} is recorded nowhere`];
    // The run that settles a scaling reports it next, unless it dies in between.
    const isCut = writers.some((each) => each.at >= at && hasDied(each.by));
    return isCut || isOf(by, lines) ? [] : [`${key} ${from} → ${to} was reported by nobody`];
  });
}

function hasDied(invocation: Invocation): boolean {
  return invocation.process.isDead && invocation.process.invocation === invocation;
}

export function uncovered(shards: readonly Shard[]): readonly string[] {
  const sorted = [...shards].sort((a, b) => (a.from < b.from ? -1 : 1));
  const gaps = sorted.filter(({ to }, index) => to !== (sorted[index + 1]?.from ?? null));
  const isWhole = sorted[0]?.from === "" && gaps.length === 0;
  return isWhole
    ? []
    : [`the shards do not cover all keys: ${sorted.map(({ from, to }) => `${from}-${to}`).join(" ")}`];
}
