import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** What a client signs its requests with. */
export interface LocalCredential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Begins every secret that ebb makes up, so that a search for secrets finds it wherever it may be. */
export const secretMark = "ebbsecret";

/** 240 random bits, in letters, digits, "-" and "_", which need no quoting anywhere. */
export function newSecret(): string {
  return `${secretMark}${randomBytes(30).toString("base64url")}`;
}

/** A random one, with 80 bits of name. */
export function newCredential(): LocalCredential {
  return {
    accessKeyId: `EBB${randomBytes(10).toString("hex")}`,
    secretAccessKey: newSecret(),
  };
}

/** Takes as long for a wrong text as for the right one. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Proves to a client that the server knows the secret, before the client believes what the server says. */
export function proofOf({ secretAccessKey }: LocalCredential, nonce: string): string {
  return createHmac("sha256", secretAccessKey).update(`ebb proof ${nonce}`).digest("hex");
}
