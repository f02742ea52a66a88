import { shared } from "../async/shared";

/** AWS credentials, as the SDK's providers return them. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export type AwsCredentialProvider = () => Promise<AwsCredentials>;

/** As the SDK's chain: it keeps what it found, unless `forceRefresh`. */
export type RenewableCredentials = (options?: { readonly forceRefresh?: boolean }) => Promise<AwsCredentials>;

export interface CredentialCache {
  /** The credentials, if they are valid for 5 more minutes; otherwise new ones. */
  current(signal: AbortSignal): Promise<AwsCredentials>;
  /** Instead of `refused`, which AWS says have expired. Undefined: the provider still has the same ones. */
  instead(refused: AwsCredentials, signal: AbortSignal): Promise<AwsCredentials | undefined>;
}

/** As long before their end as the SDK renews them. */
const marginMs = 300_000;

/** Asks the provider once for all requests. A failure is not kept. */
export function cacheCredentials(provider: RenewableCredentials): CredentialCache {
  let cached: AwsCredentials | undefined;
  const fetched = shared(async () => (cached = await provider()));
  const renewed = shared(async () => (cached = await provider({ forceRefresh: true })));

  const isLasting = ({ expiration }: AwsCredentials) =>
    expiration === undefined || expiration.getTime() - Date.now() > marginMs;

  return {
    current: (signal) => (cached !== undefined && isLasting(cached) ? Promise.resolve(cached) : fetched(signal)),
    async instead(refused, signal) {
      // Hundreds of requests are refused together. The first one asks, and the others find what it got.
      const others = cached !== undefined && cached !== refused ? cached : await renewed(signal);
      const areSame = others.accessKeyId === refused.accessKeyId && others.sessionToken === refused.sessionToken;
      return areSame ? undefined : others;
    },
  };
}
