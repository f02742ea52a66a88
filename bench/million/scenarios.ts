import { limits } from "./limits";
import type { Params } from "./event-source";
import type { Recording } from "./recording";
import { type Outcome, type Scenario, simulate } from "./system";

/** serverless.yml as it is, on a table that is new. */
export const defaults: Params = {
  ...{ syncMemory: 512, syncConcurrency: 10, syncBatchSize: 4, tickMemory: 256, pollers: "keep" },
  table: limits.dynamodb.newTable,
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

type Case = Pick<Scenario, "minutes" | "hasBurst" | "hasPause" | "isNew"> & {
  readonly name: string;
  readonly hpas: number;
  readonly params: Named["params"];
  readonly more?: Partial<Params>;
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
  { ...million, name: "five pollers", more: { pollers: "five" }, minutes: 2 },
  { ...million, name: "quota of the account", more: { table: limits.dynamodb.tableQuota }, minutes: 3 },
  { ...million, name: "batches of four", more: { syncBatchSize: 4, syncConcurrency: 100 }, minutes: 2 },
];

export async function run(recordings: readonly Recording[], one: Case): Promise<Named> {
  const { name, hpas, params, more = {}, ...rest } = one;
  const load = "moving";
  const clusters = Math.max(1, hpas / hpasPerCluster);
  const from = performance.now();
  const outcome = await simulate({
    ...{ name, clusters, load, params: { ...byName[params], ...more }, recordings },
    ...{ ...rest, realClusters: 1 },
  });
  console.error(`${name}, ${hpas} HPAs, ${params}: ${Math.round((performance.now() - from) / 1_000)} s`);
  return { name, hpas, params, outcome };
}
