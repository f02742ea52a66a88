import { Type } from "typebox";
import type { TypeOf } from "../../k8s/schema/fields";

/** A partition key has 2,048 bytes, a sort key 1,024. */
const mostCharacters = 2_048;
const upTo = (most: number) => `^[\\s\\S]{0,${most}}$`;
const name = (expected: string) =>
  Type.String({
    minLength: 1,
    pattern: upTo(mostCharacters),
    errorMessage: `${expected} of at most ${mostCharacters} characters`,
  });

const instant = Type.Integer({ minimum: 1, errorMessage: "milliseconds since the epoch" });

export const SlotMessage = Type.Object({
  cluster: name("a cluster's name"),
  from: Type.String({ pattern: upTo(mostCharacters), errorMessage: "the shard's first key" }),
  slot: instant,
  /** A later message is dropped. */
  until: Type.Integer({ minimum: 1, errorMessage: "milliseconds since the epoch, after slot" }),
});
export type SlotMessage = TypeOf<typeof SlotMessage>;

/** Wakes HPAs whose entries changed, and those with shorter periods. */
export const WakeMessage = Type.Object({
  cluster: name("a cluster's name"),
  namespace: name("a namespace"),
  names: Type.Array(name("a name"), { minItems: 1, errorMessage: "a list of names" }),
  at: instant,
  /** A later message is dropped. */
  until: Type.Optional(instant),
});
export type WakeMessage = TypeOf<typeof WakeMessage>;

export const HpaWakeRequest = Type.Object(
  { cluster: name("a cluster's name"), namespace: name("a namespace"), name: name("an HPA's name") },
  { additionalProperties: false },
);

/** Without `cluster`: in all clusters. */
export const QueueWakeRequest = Type.Object(
  { queue: name("a queue's name, URL or ARN"), cluster: Type.Optional(name("a cluster's name")) },
  { additionalProperties: false },
);
export type WakeRequest = TypeOf<typeof HpaWakeRequest> | TypeOf<typeof QueueWakeRequest>;
