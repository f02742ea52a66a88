import { Type } from "typebox";
import type { TypeOf } from "../../k8s/schema/fields";
import type { HpaEvent } from "../situation";
import { count, moment, onlyTrue, text } from "./item-fields";

const type = Type.Unsafe<HpaEvent["type"]>({ enum: ["Normal", "Warning"], errorMessage: "Normal or Warning" });

/** Events with one type, reason and message; if `combined`, with any message. */
const EventEntry = Type.Object({
  type,
  reason: text,
  message: text,
  name: text,
  combined: Type.Optional(onlyTrue),
  firstTimestamp: moment,
  /** Includes those dropped as spam. */
  count,
  seenAt: moment,
  /** The last occurrence that was not dropped. */
  recorded: Type.Optional(Type.Object({ count, at: moment })),
});
export type EventEntry = TypeOf<typeof EventEntry>;

const EventGroup = Type.Object({ type, reason: text, messages: Type.Array(text), at: moment });
export type EventGroup = TypeOf<typeof EventGroup>;

const TokenBucket = Type.Object({ tokens: Type.Number(), at: moment });
export type TokenBucket = TypeOf<typeof TokenBucket>;

const EventLog = Type.Object({
  /** The most recently used is last. */
  entries: Type.Array(EventEntry),
  groups: Type.Array(EventGroup),
  /** Absent: full. */
  buckets: Type.Object({ Normal: Type.Optional(TokenBucket), Warning: Type.Optional(TokenBucket) }),
});
export type EventLog = TypeOf<typeof EventLog>;

/** The EVENTS# item. */
export const EventsItem = Type.Object({ version: count, ...EventLog.properties });
