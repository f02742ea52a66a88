/** AWS credentials, as the SDK's providers return them. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export type AwsCredentialProvider = () => Promise<AwsCredentials>;

/** A role to assume in a region. Its trust policy can require the external id, so that no other entry uses it. */
export interface AssumedRole {
  readonly roleArn: string;
  readonly region: string;
  readonly externalId: string;
}

/** Gives the credentials of a role that `base` assumes. */
export type AssumeRole = (role: AssumedRole, base: AwsCredentialProvider) => AwsCredentialProvider;
