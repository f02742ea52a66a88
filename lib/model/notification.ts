/** The end of a CloudEvents type. Conditions last; the others happen. */
export const lastingTypes = ["failing", "unknown-metric", "at-max", "not-woken"] as const;
export const hpaTypes = ["scaled-to-zero", "scaled-from-zero", ...lastingTypes, "recovered"] as const;

export type LastingType = (typeof lastingTypes)[number];
export type HpaType = (typeof hpaTypes)[number];

const hpaPrefix = "dev.ebb.hpa.";

export const fullType = (type: HpaType) => `${hpaPrefix}${type}` as const;
export const leftOutType = "dev.ebb.notifications.left-out";
