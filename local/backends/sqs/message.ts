export interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly sentAt: number;
  /** Delayed or in flight until then. */
  readonly visibleAt: number;
  readonly receiveCount: number;
  readonly firstReceivedAt?: number;
  /** The latest receive's. Older ones can still delete, as in SQS, but not in a FIFO queue. */
  readonly receiptHandle?: string;
  readonly groupId?: string;
  /** Only in a FIFO queue. */
  readonly fifo?: { readonly deduplicationId: string; readonly sequenceNumber: string };
}

/** A FIFO queue remembers it for five minutes, also when the message is gone. */
export interface Deduplicated extends Required<Pick<Message, "id" | "fifo" | "sentAt">> {
  /** The message group, if equal messages of other groups are distinct. */
  readonly scope?: string;
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  /** In base64. */
  readonly BinaryValue?: string;
}

/** A new or changed message, with a FIFO queue's memory of it, or the ID of a deleted one. */
export type MessageChange = { readonly put: Message; readonly sent?: Deduplicated } | { readonly gone: string };

export interface SendOptions {
  readonly delaySeconds?: number;
  readonly attributes?: MessageAttributes;
  readonly groupId?: string;
  /** In a FIFO queue, an equal one within five minutes sends nothing. */
  readonly deduplicationId?: string;
}
