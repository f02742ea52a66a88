import type { AwsCredentialProvider } from "../../aws/credentials";

/** A role to assume in a region. Its trust policy can require the external id, so that no other entry uses it. */
export interface AssumedRole {
  readonly roleArn: string;
  readonly region: string;
  readonly externalId: string;
}

/** Gives the credentials of a role that `base` assumes. */
export type AssumeRole = (role: AssumedRole, base: AwsCredentialProvider) => AwsCredentialProvider;
