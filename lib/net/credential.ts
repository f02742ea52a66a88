import { shared } from "../async/shared";
import type { EpochMs } from "../k8s/time";

/** What authenticates a request: headers, or a client certificate (PEM). */
export interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate?: { readonly certificate: string; readonly key: string };
}

/** Gives the current credential. Rejects with a Fault. */
export interface Authenticator<Of = Credential> {
  credential(signal: AbortSignal): Promise<Of>;
  /** The server refused `refused`, so the next call reads the credential again, unless it was renewed meanwhile. */
  invalidate(refused: Of): void;
}

/** Reads a credential at its origin. `fresh`: the last one was refused, so caches must not be used. */
export type ReadCredential<Of = Credential> = (
  signal: AbortSignal,
  fresh: boolean,
) => Promise<{ readonly credential: Of; readonly until: EpochMs }>;

/** Caches the result of `read` until it expires. Concurrent requests share one `read`. */
export function renewing<Of>(read: ReadCredential<Of>, now: () => EpochMs): Authenticator<Of> {
  let cached: { readonly credential: Of; readonly until: EpochMs } | undefined;
  let refused = false;
  const renew = shared(async (signal) => {
    const renewed = await read(signal, refused);
    refused = false;
    cached = renewed;
    return renewed.credential;
  });
  return {
    credential: (signal) =>
      cached !== undefined && now() < cached.until ? Promise.resolve(cached.credential) : renew(signal),
    invalidate(credential) {
      if (cached?.credential !== credential) return;
      cached = undefined;
      refused = true;
    },
  };
}
