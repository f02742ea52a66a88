import type { DescribedKind } from "../../../lib/sources/description";
import { descriptions } from "../../../lib/sources/descriptions";
import { clusterRows } from "./rows/clusters";
import { deploymentRows } from "./rows/deployment";
import { entryRows } from "./rows/entries";
import { hpaRows } from "./rows/hpas";
import { sourceRows } from "./rows/sources";

/**
 * Everything that ebb advises a person to do, by name. A test types each row's commands where they are printed, and
 * finds the fault gone: test/e2e/advice has a situation for each.
 */
export const advice = {
  ...entryRows,
  ...clusterRows,
  ...hpaRows,
  ...deploymentRows,
  ...sourceRows,
};

/** What each kind of source says of a read that fails: in its description. */
export const adviceOfKinds: Readonly<Record<string, NonNullable<DescribedKind["advice"]>>> = Object.fromEntries(
  Object.entries(descriptions).flatMap(([kind, { advice: own }]) => (own === undefined ? [] : [[kind, own]])),
);
