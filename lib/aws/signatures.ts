import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import { BoundedMap } from "../async/bounded-map";
import type { EpochMs } from "../k8s/time";
import type { AwsCredentials } from "./credentials";
import type { LightService } from "./endpoint";
import { Sha256 } from "./sha256";

export type Headers = Readonly<Record<string, string>>;

/** Where a client's requests go. */
export interface SigningScope {
  readonly url: URL;
  readonly region: string;
}

/** What is asked, without a signature. */
export interface Unsigned {
  readonly headers: Headers;
  readonly body: string;
  /** The same request comes again and again, and asking twice does no harm. */
  readonly repeats: boolean;
}

/** The signatures (Signature Version 4) of one client's requests. */
export interface Signatures {
  /** The headers with the signature. `isReused`: the service has had this signature before. */
  sign(
    request: Unsigned,
    credentials: AwsCredentials,
  ): Promise<{ readonly headers: Headers; readonly isReused: boolean }>;
  /** An answer with this Date came. Returns whether the service's clock is another one: the next request follows it. */
  followClock(date: string | undefined): boolean;
  /** The request failed. The next one has a signature of its own. */
  forget(request: Unsigned): void;
  /** The service refuses signatures that it has had before: from now on, each request has one of its own. */
  stopReusing(): void;
}

/** As the SDK: a clock that differs by 5 minutes is corrected. */
const skewMs = 300_000;
/** AWS takes a signature for 5 minutes. It is used again for so long, and only while both clocks nearly agree. */
const lifetimeMs = 120_000;
const agreeingMs = 30_000;
/** About 2 KB each, so 20 MB at most. */
const mostSignatures = 10_000;

interface CachedSignature {
  readonly headers: Headers;
  readonly credentials: AwsCredentials;
  readonly signedAt: number;
}

/**
 * A queue is asked the same every few seconds. Signing costs more than half of what the request does, and AWS takes
 * a signature more than once: docs/decisions/0063.
 */
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

  /** A usable one gives way to none: of queues asked in turns, the oldest is always the one that is asked next. */
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
      // A second has one text, and hundreds of answers.
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
