import type { AddressRules } from "../../net/address";
import type { AnswerMemory } from "../../net/memory";
import type { AwsCredentialProvider } from "../../aws/credentials";
import type { EpochMs } from "../../k8s/time";
import type { ReadContext } from "../../model/ports/sources";
import type { ReadSecret } from "../../secrets/secrets";
import type { ReadVariable } from "../../secrets/variable";

export interface SourceNetwork {
  readonly secrets: ReadSecret;
  /** Absent in functions. */
  readonly variables?: ReadVariable;
  readonly addresses: AddressRules;
  readonly memory: AnswerMemory;
  readonly awsCredentials: AwsCredentialProvider;
  readonly now: () => EpochMs;
}

/** A source that hangs must leave its HPA time to decide with the other metrics. */
export function timeoutOf(
  { timeoutMs }: { readonly timeoutMs: number },
  { longestMs = Infinity }: Pick<ReadContext, "longestMs">,
): number {
  return Math.min(timeoutMs, longestMs);
}
