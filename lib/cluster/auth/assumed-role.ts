import type { AwsCredentialProvider } from "../../aws/credentials";

/** The role's trust policy can require the external id, so that no other entry uses it. */
export interface AssumedRole {
  readonly roleArn: string;
  readonly region: string;
  readonly externalId: string;
}

export type AssumeRole = (role: AssumedRole, base: AwsCredentialProvider) => AwsCredentialProvider;
