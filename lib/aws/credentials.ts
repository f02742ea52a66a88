import { shared } from "../async/shared";
import { withinTime } from "../async/within-time";

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export type AwsCredentialProvider = () => Promise<AwsCredentials>;

/** Cached, unless `forceRefresh`. */
export type RenewableCredentials = (options?: { readonly forceRefresh?: boolean }) => Promise<AwsCredentials>;

export interface CredentialCache {
  /** Valid for 5 more minutes. */
  current(signal: AbortSignal): Promise<AwsCredentials>;
  /** Replaces `refused`, which expired. Undefined: the provider has no others. */
  instead(refused: AwsCredentials, signal: AbortSignal): Promise<AwsCredentials | undefined>;
}

const marginMs = 300_000;
/** The next request starts another call. */
const providerMs = 10_000;

/** Concurrent requests share one call of the provider. */
export function cacheCredentials(provider: RenewableCredentials): CredentialCache {
  let cached: AwsCredentials | undefined;
  const reading = (options?: Parameters<RenewableCredentials>[0]) =>
    shared(async (signal) => (cached = await withinTime(providerMs, signal, () => provider(options))));
  const [fetched, renewed] = [reading(), reading({ forceRefresh: true })];

  const isLasting = ({ expiration }: AwsCredentials) =>
    expiration === undefined || expiration.getTime() - Date.now() > marginMs;

  return {
    current: (signal) => (cached !== undefined && isLasting(cached) ? Promise.resolve(cached) : fetched(signal)),
    async instead(refused, signal) {
      // Hundreds of requests are refused together. The first one renews, and the others use its result.
      const others = cached !== undefined && cached !== refused ? cached : await renewed(signal);
      const areSame = others.accessKeyId === refused.accessKeyId && others.sessionToken === refused.sessionToken;
      return areSame ? undefined : others;
    },
  };
}
