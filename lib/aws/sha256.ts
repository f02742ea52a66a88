import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import type { Checksum, SourceData } from "@smithy/types";

/** @aws-crypto/sha256-js computes it in JavaScript, in twice the time. */
export class Sha256 implements Checksum {
  #hash: Hash | Hmac;

  constructor(private readonly secret?: SourceData) {
    this.#hash = this.#start();
  }

  update(data: Uint8Array | string): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {
    this.#hash = this.#start();
  }

  #start(): Hash | Hmac {
    const { secret } = this;
    if (secret === undefined) return createHash("sha256");
    return createHmac(
      "sha256",
      typeof secret === "string" || ArrayBuffer.isView(secret) ? toBytes(secret) : new Uint8Array(secret),
    );
  }
}

function toBytes(secret: string | ArrayBufferView): string | Uint8Array {
  return typeof secret === "string" ? secret : new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength);
}
