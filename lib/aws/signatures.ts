import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import { BoundedMap } from "../async/bounded-map";
import type { EpochMs } from "../k8s/time";
import type { AwsCredentials } from "./credentials";
import type { LightService } from "./endpoint";
import { Sha256 } from "./sha256";

export type Headers = Readonly<Record<string, string>>;

export interface SigningScope {
  readonly url: URL;
  readonly region: string;
}

export interface Unsigned {
  readonly headers: Headers;
  readonly body: string;
  readonly repeats: boolean;
}

export interface Signatures {
  /** `isReused`: the service has had this signature before. */
  sign(
    request: Unsigned,
    credentials: AwsCredentials,
  ): Promise<{ readonly headers: Headers; readonly isReused: boolean }>;
  /** The `date` of an answer. Returns true if the service's clock differs: the next request follows it. */
  followClock(date: string | undefined): boolean;
  /** After a failure, the next such request gets a new signature. */
  forget(request: Unsigned): void;
  /** After a refusal, each request gets its own signature. */
  stopReusing(): void;
}

const skewMs = 300_000;
/** AWS accepts a signature for 5 minutes. Reuse is shorter, and only while both clocks nearly agree. */
const lifetimeMs = 120_000;
const agreeingMs = 30_000;
/** About 2 KB each, so 20 MB at most. */
const mostSignatures = 10_000;

interface CachedSignature {
  readonly headers: Headers;
  readonly credentials: AwsCredentials;
  readonly signedAt: number;
}

/** Signing costs more than half of a request's CPU time: docs/decisions/0063. */
export function openSignatures(
  service: LightService,
  { url, region }: SigningScope,
  mostCached: number = mostSignatures,
): Signatures {
  const cached = new BoundedMap<string, CachedSignature>(mostCached);
  let signer: { readonly credentials: AwsCredentials; readonly signer: SignatureV4 } | undefined;
  let offsetMs = 0;
  let date: { readonly text: string; readonly at: number } | undefined;
  let isAgreeing = false;
  let mayReuse = true;

  function signerFor(credentials: AwsCredentials): SignatureV4 {
    if (signer?.credentials === credentials) return signer.signer;
    const made = new SignatureV4({ service, region, credentials, sha256: Sha256 });
    signer = { credentials, signer: made };
    return made;
  }

  const isUsable = (cached: CachedSignature, credentials: AwsCredentials, now: EpochMs) =>
    cached.credentials === credentials && now >= cached.signedAt && now < cached.signedAt + lifetimeMs;

  /** Never replaces a usable one: with round-robin requests, the oldest is always the next to be used. */
  function keep(key: string, signed: CachedSignature): void {
    if (cached.size >= mostCached && !cached.has(key)) {
      const [oldest] = cached.values();
      if (oldest !== undefined && isUsable(oldest, signed.credentials, signed.signedAt)) return;
    }
    cached.set(key, signed);
  }

  return {
    async sign({ headers, body, repeats }, credentials) {
      const now = Date.now();
      const mayKeep = repeats && mayReuse;
      const known = mayKeep && isAgreeing ? cached.get(keyOf(headers, body)) : undefined;
      if (known !== undefined && isUsable(known, credentials, now)) return { headers: known.headers, isReused: true };
      const request = new HttpRequest({
        method: "POST",
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port !== "" && { port: Number(url.port) }),
        path: url.pathname,
        headers: { ...headers, host: url.host },
        body,
      });
      const signed = await signerFor(credentials).sign(request, { signingDate: new Date(now + offsetMs) });
      if (mayKeep) keep(keyOf(headers, body), { headers: signed.headers, credentials, signedAt: now });
      return { headers: signed.headers, isReused: false };
    },

    followClock(text) {
      if (text === undefined) return false;
      if (date?.text !== text) date = { text, at: Date.parse(text) };
      const offBy = Math.abs(date.at - Date.now() - offsetMs);
      isAgreeing = offBy < agreeingMs;
      if (!(offBy >= skewMs)) return false;
      offsetMs = date.at - Date.now();
      cached.clear();
      return true;
    },

    forget({ headers, body, repeats }) {
      if (repeats) cached.delete(keyOf(headers, body));
    },

    stopReusing() {
      mayReuse = false;
      cached.clear();
    },
  };
}

function keyOf(headers: Headers, body: string): string {
  return `${headers["x-amz-target"]} ${body}`;
}
