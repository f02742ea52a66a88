import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface LocalCredential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The prefix of every generated secret, so that a search for secrets finds it anywhere. */
export const secretMark = "ebbsecret";

/** 240 random bits, in letters, digits, "-" and "_", which need no quoting. */
export function newSecret(): string {
  return `${secretMark}${randomBytes(30).toString("base64url")}`;
}

export function newCredential(): LocalCredential {
  return {
    accessKeyId: `EBB${randomBytes(10).toString("hex")}`,
    secretAccessKey: newSecret(),
  };
}

/** In constant time. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Proves to a client that the server knows the secret. */
export function proofOf({ secretAccessKey }: LocalCredential, nonce: string): string {
  return createHmac("sha256", secretAccessKey).update(`ebb proof ${nonce}`).digest("hex");
}
