import { shared } from "../async/shared";
import type { EpochMs } from "../k8s/time";

export interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate?: { readonly certificate: string; readonly key: string };
}

/** Rejects with a Fault. */
export interface Authenticator<Of = Credential> {
  credential(signal: AbortSignal): Promise<Of>;
  /** The next call reads the credential again, unless it was renewed after `refused`. */
  invalidate(refused: Of): void;
}

/** `fresh`: the last one was refused, so caches must not be used. */
export type ReadCredential<Of = Credential> = (
  signal: AbortSignal,
  fresh: boolean,
) => Promise<{ readonly credential: Of; readonly until: EpochMs }>;

/** Concurrent requests share one `read`. */
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
