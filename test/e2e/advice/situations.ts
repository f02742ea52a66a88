import { clusterSituations } from "./clusters";
import { deploymentSituations } from "./deployment";
import { entrySituations } from "./entries";
import { hpaSituations } from "./hpas";
import { lackSituations } from "./lacks";
import type { Situation } from "./situation";
import { sourceSituations } from "./sources";
import { pollerSituations } from "./poller";

export const situations: readonly Situation[] = [
  ...entrySituations,
  ...clusterSituations,
  ...hpaSituations,
  ...lackSituations,
  ...deploymentSituations,
  ...sourceSituations,
  ...pollerSituations,
];
