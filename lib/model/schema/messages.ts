import { Type } from "typebox";
import type * as messages from "../messages";
import { describes } from "./item-fields";

/** The queue's messages. lib/model/messages.ts explains their fields. */

const name = (expected: string) => Type.String({ minLength: 1, errorMessage: expected });

const instant = Type.Integer({ minimum: 1, errorMessage: "milliseconds since the epoch" });

export const SlotMessage = describes<messages.SlotMessage>()(
  Type.Object({
    cluster: name("a cluster's name"),
    from: Type.String({ errorMessage: "the shard's first key" }),
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
  }),
);
