import { Type } from "typebox";
import type * as messages from "../messages";
import type { WakeRequest } from "../wake-request";
import { describes } from "./item-fields";

/** lib/model/messages.ts explains the fields. */

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

export const SlotMessage = describes<messages.SlotMessage>()(
  Type.Object({
    cluster: name("a cluster's name"),
    from: Type.String({ pattern: upTo(mostCharacters), errorMessage: "the shard's first key" }),
    slot: instant,
    until: Type.Integer({ minimum: 1, errorMessage: "milliseconds since the epoch, after slot" }),
  }),
);

export const WakeMessage = describes<messages.WakeMessage>()(
  Type.Object({
    cluster: name("a cluster's name"),
    namespace: name("a namespace"),
    names: Type.Array(name("a name"), { minItems: 1, errorMessage: "a list of names" }),
    at: instant,
    until: Type.Optional(instant),
  }),
);

type HpaRequest = Extract<WakeRequest, { readonly name: string }>;
type QueueRequest = Extract<WakeRequest, { readonly queue: string }>;

export const HpaWakeRequest = describes<HpaRequest>()(
  Type.Object(
    { cluster: name("a cluster's name"), namespace: name("a namespace"), name: name("an HPA's name") },
    { additionalProperties: false },
  ),
);

export const QueueWakeRequest = describes<QueueRequest>()(
  Type.Object(
    { queue: name("a queue's name, URL or ARN"), cluster: Type.Optional(name("a cluster's name")) },
    { additionalProperties: false },
  ),
);
