import { Type } from "typebox";
import type * as log from "../stored/event-log";
import type { HpaEvent } from "../situation";
import { count, describes, onlyTrue, moment, text } from "./item-fields";

/** The EVENTS# item: lib/model/stored/event-log.ts explains its fields. */

const type = Type.Unsafe<HpaEvent["type"]>({ enum: ["Normal", "Warning"], errorMessage: "Normal or Warning" });

const EventEntry = describes<log.EventEntry>()(
  Type.Object({
    type,
    reason: text,
    message: text,
    name: text,
    combined: Type.Optional(onlyTrue),
    firstTimestamp: moment,
    count,
    seenAt: moment,
    recorded: Type.Optional(Type.Object({ count, at: moment })),
  }),
);

const EventGroup = describes<log.EventGroup>()(
  Type.Object({ type, reason: text, messages: Type.Array(text), at: moment }),
);

const TokenBucket = describes<log.TokenBucket>()(Type.Object({ tokens: Type.Number(), at: moment }));

export const EventsItem = describes<log.EventLog & { readonly version: number }>()(
  Type.Object({
    version: count,
    entries: Type.Array(EventEntry),
    groups: Type.Array(EventGroup),
    buckets: Type.Object({ Normal: Type.Optional(TokenBucket), Warning: Type.Optional(TokenBucket) }),
  }),
);
