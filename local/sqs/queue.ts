import type { Clock } from "../clock";
import type { Random } from "../random";
import { messageNotInflight, receiptHandleIsInvalid } from "./errors";

export interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly sentAt: number;
  /** Delayed or in flight until then. */
  readonly visibleAt: number;
  readonly receiveCount: number;
  readonly firstReceivedAt?: number;
  /** The handle of the latest receive. Older ones can still delete, as in SQS. */
  readonly receiptHandle?: string;
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  /** In base64. */
  readonly BinaryValue?: string;
}

/** A message that was put into a queue or changed there, or the ID of one that is gone. */
export type MessageChange = { readonly put: Message } | { readonly gone: string };

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

/** One standard queue: at least once, and roughly in order. Time comes only from the clock. */
export interface Queue {
  readonly name: string;
  /** In whole seconds, as in SQS. Attributes that a user sets have their defaults. */
  attribute(name: string): string | undefined;
  attributes(): Readonly<Record<string, string>>;
  setAttributes(attributes: Readonly<Record<string, string>>): void;
  readonly createdAt: number;
  modifiedAt(): number;
  counts(): QueueCounts;
  send(body: string, options?: { delaySeconds?: number; attributes?: MessageAttributes }): Message;
  /**
   * Calls back once: with messages as soon as there are any, or with none at the end of the wait. The returned function
   * cancels it.
   */
  receive(options: ReceiveOptions, callback: (messages: readonly Message[]) => void): () => void;
  delete(receiptHandle: string): void;
  changeVisibility(receiptHandle: string, seconds: number): void;
  purge(): void;
  /** All messages, for a snapshot. */
  messages(): readonly Message[];
}

const defaultAttributes = {
  VisibilityTimeout: "30",
  MaximumMessageSize: "1048576",
  MessageRetentionPeriod: "345600",
  DelaySeconds: "0",
  ReceiveMessageWaitTimeSeconds: "0",
  SqsManagedSseEnabled: "true",
};

interface Parts {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly messages?: readonly Message[];
  /** Receives every change of a message and of the attributes, before anybody else can see it. */
  readonly record?: (change: MessageChange | "attributes") => void;
}

export function createQueue({ name, clock, random, record = () => undefined, ...given }: Parts): Queue {
  let attributes: Record<string, string> = { ...defaultAttributes, ...given.attributes };
  const createdAt = clock.now();
  let modifiedAt = createdAt;
  const messages = new Map((given.messages ?? []).map((message) => [message.id, message]));
  const waiting = new Set<() => void>();

  const wakeWaiting = (): void => [...waiting].forEach((wake) => wake());
  const seconds = (attribute: keyof typeof defaultAttributes): number => Number(attributes[attribute]);
  const expire = (): void => {
    const oldest = clock.now() - seconds("MessageRetentionPeriod") * 1_000;
    for (const { id, sentAt } of messages.values()) if (sentAt <= oldest) remove(id);
  };
  const wakeWhenVisible = ({ visibleAt }: Message): void =>
    void clock.after(Math.max(0, visibleAt - clock.now()), wakeWaiting);
  const put = (message: Message): void => {
    messages.set(message.id, message);
    record({ put: message });
    wakeWhenVisible(message);
  };
  const remove = (id: string): void => {
    if (messages.delete(id)) record({ gone: id });
  };
  messages.forEach(wakeWhenVisible);

  const take = ({ max, visibilityTimeoutSeconds = seconds("VisibilityTimeout") }: ReceiveOptions): Message[] => {
    expire();
    const now = clock.now();
    const visible = [...messages.values()].filter(({ visibleAt }) => visibleAt <= now).slice(0, max);
    return visible.map((message) => {
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

  return {
    name,
    createdAt,
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
    send(body, options = {}) {
      const now = clock.now();
      const delaySeconds = options.delaySeconds ?? seconds("DelaySeconds");
      const message: Message = {
        ...{ id: random.uuid(), body, attributes: options.attributes ?? {}, sentAt: now, receiveCount: 0 },
        visibleAt: now + delaySeconds * 1_000,
      };
      put(message);
      return message;
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
      remove(idOf(receiptHandle));
    },
    changeVisibility(receiptHandle, visibilitySeconds) {
      const message = messages.get(idOf(receiptHandle));
      if (message === undefined || message.visibleAt <= clock.now()) throw messageNotInflight();
      put({ ...message, visibleAt: clock.now() + visibilitySeconds * 1_000 });
    },
    purge: () => [...messages.keys()].forEach(remove),
    messages: () => [...messages.values()],
  };
}

const handleOf = (id: string, random: Random): string => Buffer.from(`${id} ${random.uuid()}`).toString("base64");

function idOf(receiptHandle: string): string {
  const parts = Buffer.from(receiptHandle, "base64").toString("utf8").split(" ");
  const id = parts[0] ?? "";
  if (parts.length !== 2 || !/^[0-9a-f-]{36}$/.test(id)) throw receiptHandleIsInvalid(receiptHandle);
  return id;
}
