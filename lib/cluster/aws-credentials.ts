/** AWS credentials as the SDK's providers give them. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export type AwsCredentialProvider = () => Promise<AwsCredentials>;

/** Gives the credentials of a role, as `base` assumes it. */
export type AssumeRole = (roleArn: string, region: string, base: AwsCredentialProvider) => AwsCredentialProvider;
