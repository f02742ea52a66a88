import { Type } from "typebox";
import type { TypeOf } from "../../k8s/schema/fields";
import { count, mapOf, moment, onlyTrue, text } from "../schema/item-fields";

const Lasting = Type.Object({
  since: moment,
  /** The version with which it began. */
  state: count,
  /** Or left out. */
  announced: Type.Optional(onlyTrue),
});

/** docs/decisions/0106-notifications.md */
export const Notified = Type.Object({
  version: count,
  cluster: text,
  key: text,
  /** Records of this version and older ones say nothing new. */
  state: count,
  /** By type. */
  lasting: mapOf(Lasting),
});
export type Notified = TypeOf<typeof Notified>;

export const NotifiedHour = Type.Object({
  version: count,
  hour: moment,
  sent: count,
  leftOut: count,
});
export type NotifiedHour = TypeOf<typeof NotifiedHour>;
