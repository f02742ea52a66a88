import { createHash } from "node:crypto";

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

/** MD5, which SQS's SDKs check. */
export function digestBody(body: string): string {
  return createHash("md5").update(body, "utf8").digest("hex");
}

const stringTransport = 1;

const binaryTransport = 2;

/** "Calculating the MD5 message digest", SQS guide. */
export function digestAttributes(attributes: MessageAttributes): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const hash = createHash("md5");
  const add = (part: Buffer): void => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length).update(part);
  };
  for (const name of names) {
    const attribute = attributes[name];
    if (attribute === undefined) continue;
    const isBinary = attribute.DataType.startsWith("Binary");
    add(Buffer.from(name, "utf8"));
    add(Buffer.from(attribute.DataType, "utf8"));
    hash.update(Buffer.from([isBinary ? binaryTransport : stringTransport]));
    add(
      isBinary ? Buffer.from(attribute.BinaryValue ?? "", "base64") : Buffer.from(attribute.StringValue ?? "", "utf8"),
    );
  }
  return hash.digest("hex");
}
