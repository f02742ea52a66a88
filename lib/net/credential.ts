import { shared } from "../async/shared";
import { OutOfTime, withinTime } from "../async/within-time";
import type { EpochMs } from "../k8s/time";
import { type FaultKind, isFault } from "../model/fault";

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
export type ReadCredential<Of = Credential> = (signal: AbortSignal, fresh: boolean) => Promise<ReadOnce<Of>>;

interface ReadOnce<Of> {
  readonly credential: Of;
  readonly until: EpochMs;
  /** Used until then if its origin does not answer. Default: `until`. */
  readonly lasts?: EpochMs;
}

const againMs = 30_000;
const renewalMs = 1_000;

/** Concurrent requests share one `read`. A renewal that hangs takes a second, as long as the last one may be used. */
export function renewing<Of>(read: ReadCredential<Of>, now: () => EpochMs): Authenticator<Of> {
  let cached: ReadOnce<Of> | undefined;
  let refused = false;
  const renew = shared(async (signal) => {
    const last = cached;
    if (last?.lasts === undefined || now() >= last.lasts) {
      cached = await read(signal, refused);
      refused = false;
    } else {
      cached = await withinTime(renewalMs, signal, (limit) => read(limit, false)).catch((error: unknown) => {
        const isAnswered = isFault(error) ? !unanswered.includes(error.kind) : !(error instanceof OutOfTime);
        if (isAnswered && !signal.aborted) throw error;
        return { ...last, until: now() + againMs };
      });
    }
    return cached.credential;
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

const unanswered: readonly FaultKind[] = ["timeout", "unreachable", "throttled"];

/** For a server that asks for none, or that has always the same. */
export function fixedCredential<Of>(credential: Of): Authenticator<Of> {
  return { credential: () => Promise.resolve(credential), invalidate: () => undefined };
}

/** `again`: once more, as before. `refused`: the result if the renewed credential is refused, too. */
export type CredentialAttempt<T> = "again" | { readonly value: T } | { readonly refused: () => T };

/** After the first refusal, the attempt gets a renewed credential. */
export async function withRenewal<Of, T>(
  authenticator: Authenticator<Of>,
  signal: AbortSignal,
  attempt: (credential: Of) => Promise<CredentialAttempt<T>>,
): Promise<T> {
  let isRenewed = false;
  for (;;) {
    const credential = await authenticator.credential(signal);
    const outcome = await attempt(credential);
    if (outcome === "again") continue;
    if ("value" in outcome) return outcome.value;
    if (isRenewed) return outcome.refused();
    isRenewed = true;
    authenticator.invalidate(credential);
  }
}
