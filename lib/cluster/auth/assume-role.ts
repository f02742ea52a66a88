import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import type { AwsCredentialProvider } from "./credential";

/** AssumeRole through STS in `region`. In a module of its own, loaded when an entry names a role: few do, and it is large. */
export function assumeRole(roleArn: string, region: string, base: AwsCredentialProvider): AwsCredentialProvider {
  return fromTemporaryCredentials({
    masterCredentials: base,
    params: { RoleArn: roleArn, RoleSessionName: "ebb" },
    clientConfig: { region },
  });
}
