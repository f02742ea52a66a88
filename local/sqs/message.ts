export interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly sentAt: number;
  /** Delayed or in flight until then. */
  readonly visibleAt: number;
  readonly receiveCount: number;
  readonly firstReceivedAt?: number;
  /** The handle of the latest receive. Older ones can still delete, as in SQS, but not in a FIFO queue. */
  readonly receiptHandle?: string;
  readonly groupId?: string;
  /** Of a FIFO queue. */
  readonly fifo?: { readonly deduplicationId: string; readonly sequenceNumber: string };
}

/** What a FIFO queue remembers of a message for five minutes, also when the message is gone. */
export interface Deduplicated extends Required<Pick<Message, "id" | "fifo" | "sentAt">> {
  /** The message group, if equal messages of other groups count as others. */
  readonly scope?: string;
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  /** In base64. */
  readonly BinaryValue?: string;
}

/**
 * A message that was put into a queue or changed there, with what a FIFO queue remembers of it, or the ID of one that
 * is gone.
 */
export type MessageChange = { readonly put: Message; readonly sent?: Deduplicated } | { readonly gone: string };

export interface SendOptions {
  readonly delaySeconds?: number;
  readonly attributes?: MessageAttributes;
  readonly groupId?: string;
  /** Of a FIFO queue: an equal one within five minutes sends nothing. */
  readonly deduplicationId?: string;
}
