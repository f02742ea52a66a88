import { createHash } from "node:crypto";
import type { MessageAttributes } from "./message";

/** MD5, which SQS's SDKs check. */
export function digestBody(body: string): string {
  return createHash("md5").update(body, "utf8").digest("hex");
}

const stringTransport = 1;
const binaryTransport = 2;

/**
 * MD5 over the attributes by name: name, data type, one byte for the form of the value, and value. Every part follows
 * its length (4 bytes, big endian). ("Calculating the MD5 message digest", SQS guide.)
 */
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
