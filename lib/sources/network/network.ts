import type { AddressRules } from "../../net/address";
import type { AnswerMemory } from "../../net/memory";
import type { AwsCredentialProvider } from "../../aws/credentials";
import type { EpochMs } from "../../k8s/time";
import type { ReadSecret } from "../../secrets/secrets";
import type { ReadVariable } from "../../secrets/variable";

/** Access to the hosts that entries name. */
export interface SourceNetwork {
  readonly secrets: ReadSecret;
  /** Absent in functions. */
  readonly variables?: ReadVariable;
  readonly addresses: AddressRules;
  readonly memory: AnswerMemory;
  readonly awsCredentials: AwsCredentialProvider;
  readonly now: () => EpochMs;
}
