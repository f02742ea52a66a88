import type { DescribedKind } from "../../../lib/sources/description";
import { descriptions } from "../../../lib/sources/descriptions";
import { clusterRows } from "./clusters";
import { deploymentRows } from "./deployment";
import { entryRows, sourceRows, hpaRows } from "./entries";

/** test/e2e/advice has a situation for each row: it types the printed commands, and finds the fault gone. */
export const advice = {
  ...entryRows,
  ...clusterRows,
  ...hpaRows,
  ...deploymentRows,
  ...sourceRows,
};

export const adviceOfKinds: Readonly<Record<string, NonNullable<DescribedKind["advice"]>>> = Object.fromEntries(
  Object.entries(descriptions).flatMap(([kind, { advice: own }]) => (own === undefined ? [] : [[kind, own]])),
);
