import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import type { AwsCredentialProvider } from "./credential";

/** AssumeRole through STS in `region`. A module of its own, because it is large and few entries name a role. */
export function assumeRole(roleArn: string, region: string, base: AwsCredentialProvider): AwsCredentialProvider {
  return fromTemporaryCredentials({
    masterCredentials: base,
    params: { RoleArn: roleArn, RoleSessionName: "ebb" },
    clientConfig: { region },
  });
}
