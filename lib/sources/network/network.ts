import type { AddressRules } from "../../net/address";
import type { AnswerMemory } from "../../net/memory";
import type { AwsCredentialProvider } from "../../aws/credentials";
import type { EpochMs } from "../../k8s/time";
import type { ReadSecret } from "../../secrets/secrets";
import type { ReadVariable } from "../../secrets/variable";

/** How sources reach the hosts that entries name. */
export interface SourceNetwork {
  readonly secrets: ReadSecret;
  /** Absent in functions. */
  readonly variables?: ReadVariable;
  /** Which hosts, and which of their addresses. */
  readonly addresses: AddressRules;
  readonly memory: AnswerMemory;
  /** The function's own. */
  readonly awsCredentials: AwsCredentialProvider;
  /** The clock of the limiters and of what is remembered. */
  readonly now: () => EpochMs;
}
