import { limits } from "./services/limits";
import type { Params } from "./services/event-source";
import type { Load } from "./load";
import type { Recording } from "./playback/recording";
import { type Outcome, type Scenario, simulate } from "./system";

/** serverless.yml as it is, on a table that is new. */
export const defaults: Params = {
  ...{ syncMemory: 512, syncConcurrency: 10, syncBatchSize: 4, tickMemory: 256, pollers: "keep", warm: "last" },
  table: limits.dynamodb.newTable,
  metricCalls: limits.cloudwatch.getMetricData,
};
/** serverless.yml with --stage prod, on a table that has grown to the account's quota. */
export const production: Params = {
  ...defaults,
  ...{ syncMemory: 1_024, syncConcurrency: 50 },
  table: limits.dynamodb.tableQuota,
};
/** What a million HPAs need: params, a higher quota of the table, and the table warmed up to it. */
export const needed: Params = {
  ...production,
  ...{ syncMemory: 1_769, syncConcurrency: 400, syncBatchSize: 1 },
  table: { reads: 200_000, writes: 200_000 },
};

export const sizes = [1_000, 10_000, 100_000, 300_000, 1_000_000] as const;
const hpasPerCluster = 1_000;

export interface Named {
  readonly name: string;
  readonly hpas: number;
  readonly params: "defaults" | "production" | "needed";
  readonly outcome: Outcome;
}

type Case = Pick<Scenario, "minutes" | "hasBurst" | "hasPause" | "hasDeploy" | "isNew" | "isSpread"> & {
  readonly name: string;
  readonly hpas: number;
  readonly params: Named["params"];
  readonly more?: Partial<Params>;
  readonly load?: Load["name"];
};

const byName = { defaults, production, needed };

export const sweep: readonly Case[] = (["defaults", "production", "needed"] as const).flatMap((params) =>
  sizes.map((hpas) => ({ name: "moving", hpas, params, minutes: 2 })),
);

const million = { hpas: 1_000_000, params: "needed" } as const;
export const situations: readonly Case[] = [
  { ...million, name: "burst", hasBurst: true, minutes: 3 },
  { ...million, name: "start", isNew: true, minutes: 3 },
  { ...million, name: "pause", hasPause: true, minutes: 4 },
  { ...million, name: "five pollers", more: { pollers: "five" }, minutes: 4 },
  { ...million, name: "provisioned pollers", more: { pollers: "all" }, minutes: 2 },
  { ...million, name: "quota of the account", more: { table: limits.dynamodb.tableQuota }, minutes: 3 },
  { ...million, name: "batches of four", more: { syncBatchSize: 4, syncConcurrency: 100 }, minutes: 2 },
  { ...million, name: "any warm function", more: { warm: "random" }, minutes: 2 },
  { ...million, name: "any warm function", hpas: 10_000, more: { warm: "random" }, minutes: 2 },
  { ...million, name: "deploy", hasDeploy: true, minutes: 2 },
  // Long enough for the tick to see what takes too long, and to split it.
  { name: "overloaded", hpas: 100_000, params: "defaults", minutes: 6 },
  { name: "overloaded, tick 1,769 MB", hpas: 100_000, params: "defaults", more: { tickMemory: 1_769 }, minutes: 6 },
];

const onCloudWatch = { params: "needed", load: "moving, a tenth on CloudWatch", minutes: 4 } as const;
/** A tenth of the HPAs follow CloudWatch: all clusters read it with the same slot of a minute, or each with its own. */
export const cloudwatch: readonly Case[] = [
  ...[100_000, 300_000, 1_000_000].map((hpas) => ({ ...onCloudWatch, name: "cloudwatch at once", hpas })),
  { ...onCloudWatch, name: "cloudwatch spread", hpas: 1_000_000, isSpread: true },
  { ...onCloudWatch, name: "cloudwatch quota of 100", hpas: 1_000_000, more: { metricCalls: 100 } },
];

export async function run(record: (load: Load["name"]) => Promise<readonly Recording[]>, one: Case): Promise<Named> {
  const { name, hpas, params, more = {}, load = "moving", ...rest } = one;
  const recordings = await record(load);
  const clusters = Math.max(1, hpas / hpasPerCluster);
  const from = performance.now();
  const outcome = await simulate({
    ...{ name, clusters, params: { ...byName[params], ...more }, recordings },
    ...{ ...rest, realClusters: 1 },
  });
  console.error(`${name}, ${hpas} HPAs, ${params}: ${Math.round((performance.now() - from) / 1_000)} s`);
  return { name, hpas, params, outcome };
}
