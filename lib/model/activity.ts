import { Type } from "typebox";
import type { TypeOf } from "../k8s/schema/fields";
import { moment, onlyTrue } from "./schema/item-fields";

/**
 * The memory of an HPA with `ebb.dev/zero`: work goes on (`working`), or was last seen at `lastWork`. It changes when
 * work begins and ends, so a burst costs two writes.
 */
export const Activity = Type.Object({
  /** The last sync that found work and could read every External and Object metric. */
  lastWork: Type.Optional(moment),
  working: Type.Optional(onlyTrue),
  /** The last sync found work but made no recommendation, so the history does not say when it was. */
  unobserved: Type.Optional(onlyTrue),
});
export type Activity = TypeOf<typeof Activity>;
