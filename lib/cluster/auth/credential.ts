import { shared } from "../../async/shared";
import type { EpochMs } from "../../k8s/time";

/** AWS credentials as the SDK's providers give them. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export type AwsCredentialProvider = () => Promise<AwsCredentials>;

/** Gives the credentials of a role, as `base` assumes it. */
export type AssumeRole = (roleArn: string, region: string, base: AwsCredentialProvider) => AwsCredentialProvider;

/** What a request carries to be let in: headers, and a client certificate (PEM) where that is the way. */
export interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate?: { readonly certificate: string; readonly key: string };
}

/** Gives the credential of the moment. Rejects with a Fault. */
export interface Authenticator {
  credential(signal: AbortSignal): Promise<Credential>;
  /** The server refused `refused`: the next call asks its origin again. One that was renewed meanwhile stays. */
  invalidate(refused: Credential): void;
}

/** Reads a credential at its origin. `fresh`: the last one was refused, so nothing that is remembered may be used. */
export type ReadCredential = (
  signal: AbortSignal,
  fresh: boolean,
) => Promise<{ readonly credential: Credential; readonly until: EpochMs }>;

/** Keeps what `read` gave until its time is up; requests that find none wait for one common reading. */
export function renewing(read: ReadCredential, now: () => EpochMs): Authenticator {
  let kept: { readonly credential: Credential; readonly until: EpochMs } | undefined;
  let refused = false;
  const renew = shared(async (signal) => {
    const renewed = await read(signal, refused);
    refused = false;
    kept = renewed;
    return renewed.credential;
  });
  return {
    credential: (signal) =>
      kept !== undefined && now() < kept.until ? Promise.resolve(kept.credential) : renew(signal),
    invalidate(credential) {
      if (kept?.credential !== credential) return;
      kept = undefined;
      refused = true;
    },
  };
}
