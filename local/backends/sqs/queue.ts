import { present } from "../../../lib/k8s/map";
import type { Clock } from "../../clock";
import type { Random } from "../../random";
import { messageNotInflight, receiptHandleHasExpired, receiptHandleIsInvalid } from "./errors";
import { groupsInFlight, openDeduplication } from "./fifo";
import type { Deduplicated, Message, MessageChange, SendOptions } from "./message";
import { defaultsOf, type DeadLetterPolicy, isFifoName, redrivePolicyOf } from "./queue-attributes";

interface QueueCounts {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

interface ReceiveOptions {
  readonly max: number;
  readonly visibilityTimeoutSeconds?: number;
  readonly waitMs: number;
}

/** A FIFO queue delivers each group in order, and nothing of a group while one of its messages is in flight. */
export interface Queue {
  readonly name: string;
  readonly isFifo: boolean;
  /** In whole seconds, as in SQS, with defaults. */
  attribute(name: string): string | undefined;
  attributes(): Readonly<Record<string, string>>;
  setAttributes(attributes: Readonly<Record<string, string>>): void;
  readonly createdAt: number;
  modifiedAt(): number;
  counts(): QueueCounts;
  /** In a FIFO queue, may return the earlier message that this one repeats. */
  send(body: string, options?: SendOptions): Pick<Message, "id" | "fifo">;
  /** For a dead-letter queue. */
  accept(message: Message): void;
  tags(): Readonly<Record<string, string>>;
  setTags(tags: Readonly<Record<string, string>>): void;
  /** Calls back once: with messages, or with none at the end of the wait. @returns a function that cancels */
  receive(options: ReceiveOptions, callback: (messages: readonly Message[]) => void): () => void;
  delete(receiptHandle: string): void;
  changeVisibility(receiptHandle: string, seconds: number): void;
  purge(): void;
  messages(): readonly Message[];
  /** A FIFO queue's last five minutes, for a snapshot. */
  sent(): readonly Deduplicated[];
}

interface Parts {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  readonly messages?: readonly Message[];
  readonly sent?: readonly Deduplicated[];
  readonly deadLetterQueue?: (policy: DeadLetterPolicy) => Queue | undefined;
  /** Gets every change before anyone can see it. */
  readonly record?: (change: MessageChange | "attributes" | "tags") => void;
}

export function createQueue({ name, clock, random, record = () => undefined, ...given }: Parts): Queue {
  const isFifo = isFifoName(name);
  const deduplication = openDeduplication(clock, given.sent);
  let attributes: Record<string, string> = { ...defaultsOf(name), ...given.attributes };
  let tags = given.tags ?? {};
  const createdAt = clock.now();
  let modifiedAt = createdAt;
  const messages = new Map((given.messages ?? []).map((message) => [message.id, message]));
  const waiting = new Set<() => void>();

  const wakeWaiting = (): void => [...waiting].forEach((wake) => wake());
  const seconds = (attribute: string): number => Number(attributes[attribute]);
  const expire = (): void => {
    const oldest = clock.now() - seconds("MessageRetentionPeriod") * 1_000;
    for (const { id, sentAt } of messages.values()) if (sentAt <= oldest) remove(id);
  };
  const wakeWhenVisible = ({ visibleAt }: Message): void =>
    void clock.after(Math.max(0, visibleAt - clock.now()), wakeWaiting);
  const put = (message: Message, sent?: Deduplicated): void => {
    messages.set(message.id, message);
    record({ put: message, ...present({ sent }) });
    wakeWhenVisible(message);
  };
  const remove = (id: string): void => {
    if (messages.delete(id)) record({ gone: id });
  };
  messages.forEach(wakeWhenVisible);

  const take = ({ max, visibilityTimeoutSeconds = seconds("VisibilityTimeout") }: ReceiveOptions): Message[] => {
    expire();
    const now = clock.now();
    const taken = withoutDead(deliverable(now)).slice(0, max);
    return taken.map((message) => {
      const received = {
        ...message,
        visibleAt: now + visibilityTimeoutSeconds * 1_000,
        receiveCount: message.receiveCount + 1,
        firstReceivedAt: message.firstReceivedAt ?? now,
        receiptHandle: handleOf(message.id, random),
      };
      put(received);
      return received;
    });
  };

  const deliverable = (now: number): readonly Message[] => {
    const all = [...messages.values()];
    if (!isFifo) return all.filter(({ visibleAt }) => visibleAt <= now);
    const blocked = groupsInFlight(all, now);
    return all.filter(({ visibleAt, groupId }) => {
      if (visibleAt > now) blocked.add(groupId);
      return !blocked.has(groupId);
    });
  };
  /** Moves messages that were received too often. @returns the others */
  const withoutDead = (found: readonly Message[]): readonly Message[] => {
    const policy = redrivePolicyOf(attributes);
    const target = policy && given.deadLetterQueue?.(policy);
    if (policy === undefined || target === undefined) return found;
    const dead = found.filter(({ receiveCount }) => receiveCount >= policy.maxReceiveCount);
    for (const message of dead) {
      // Accept first: a kill between the two duplicates the message, and never loses it.
      target.accept(message);
      remove(message.id);
    }
    return found.filter((message) => !dead.includes(message));
  };
  const inFlight = (receiptHandle: string): Message => {
    const message = messages.get(idOf(receiptHandle));
    if (message === undefined || message.visibleAt <= clock.now()) throw messageNotInflight();
    return message;
  };

  return {
    ...{ name, isFifo, createdAt },
    modifiedAt: () => modifiedAt,
    attribute: (attribute) => attributes[attribute],
    attributes: () => attributes,
    setAttributes(changes) {
      attributes = { ...attributes, ...changes };
      modifiedAt = clock.now();
      record("attributes");
    },
    counts() {
      expire();
      const now = clock.now();
      const all = [...messages.values()];
      const visible = all.filter(({ visibleAt }) => visibleAt <= now).length;
      const delayed = all.filter(({ visibleAt, receiveCount }) => visibleAt > now && receiveCount === 0).length;
      return { visible, delayed, inFlight: all.length - visible - delayed };
    },
    send(body, { delaySeconds = seconds("DelaySeconds"), attributes: own = {}, groupId, deduplicationId } = {}) {
      const now = clock.now();
      const scope = attributes["DeduplicationScope"] === "messageGroup" ? groupId : undefined;
      const before = deduplicationId === undefined ? undefined : deduplication.find(deduplicationId, scope);
      if (before !== undefined) return before;
      const id = random.uuid();
      const fifo =
        deduplicationId === undefined
          ? undefined
          : { deduplicationId, sequenceNumber: deduplication.nextSequenceNumber() };
      const message: Message = {
        ...{ id, body, attributes: own, sentAt: now, receiveCount: 0, visibleAt: now + delaySeconds * 1_000 },
        ...present({ groupId, fifo }),
      };
      put(message, fifo && deduplication.remember({ id, fifo, sentAt: now, ...present({ scope }) }));
      return message;
    },
    accept({ receiptHandle: _handle, firstReceivedAt: _first, ...message }) {
      put({ ...message, receiveCount: 0, visibleAt: clock.now() });
    },
    tags: () => tags,
    setTags(all) {
      tags = all;
      record("tags");
    },
    receive(options, callback) {
      const first = take(options);
      if (first.length > 0 || options.waitMs === 0) {
        callback(first);
        return () => undefined;
      }
      const giveUp = (): void => {
        waiting.delete(tryAgain);
        cancelTimer();
      };
      const finish = (received: readonly Message[]): void => {
        giveUp();
        callback(received);
      };
      const tryAgain = (): void => {
        const received = take(options);
        if (received.length > 0) finish(received);
      };
      waiting.add(tryAgain);
      const cancelTimer = clock.after(options.waitMs, () => finish([]));
      return giveUp;
    },
    delete(receiptHandle) {
      const message = messages.get(idOf(receiptHandle));
      if (isFifo && message !== undefined) {
        const isLate = message.visibleAt <= clock.now() || message.receiptHandle !== receiptHandle;
        if (isLate) throw receiptHandleHasExpired(receiptHandle);
      }
      remove(idOf(receiptHandle));
      if (isFifo) wakeWaiting();
    },
    changeVisibility(receiptHandle, visibilitySeconds) {
      put({ ...inFlight(receiptHandle), visibleAt: clock.now() + visibilitySeconds * 1_000 });
    },
    purge: () => [...messages.keys()].forEach(remove),
    messages: () => [...messages.values()],
    sent: () => deduplication.all(),
  };
}

const handleOf = (id: string, random: Random): string => Buffer.from(`${id} ${random.uuid()}`).toString("base64");

function idOf(receiptHandle: string): string {
  const parts = Buffer.from(receiptHandle, "base64").toString("utf8").split(" ");
  const id = parts[0] ?? "";
  if (parts.length !== 2 || !/^[0-9a-f-]{36}$/.test(id)) throw receiptHandleIsInvalid(receiptHandle);
  return id;
}
