import { present } from "../k8s/map";
import { awsHost, type LightService } from "./endpoint";
import type { AwsCredentialProvider, AwsCredentials, RenewableCredentials } from "./credentials";

/** The environment, the profile or the function's role have what is absent here. */
export interface AwsAccess {
  readonly region?: string;
  readonly endpoint?: string;
  readonly credentials?: AwsCredentials | AwsCredentialProvider;
  readonly profile?: string;
}

const endpointNames = { sqs: "AWS_ENDPOINT_URL_SQS", dynamodb: "AWS_ENDPOINT_URL_DYNAMODB" } as const;

/** Loads only for profiles, files and metadata services: a function on Lambda has all three in its environment. */
const sdk = () => import("./sdk/sdk-resolution");

const env = (name: string) => process.env[name] || undefined;
const isOnLambda = () => env("AWS_LAMBDA_FUNCTION_NAME") !== undefined && env("AWS_PROFILE") === undefined;
const isSet = (name: string) => !["", "false"].includes(process.env[name] ?? "");

/** "fips-us-east-1" is a pseudo-region that only the SDK understands. */
const plainRegion = /^[a-z]{2,5}(-[a-z]+)+-\d+$/;

export async function findRegion({ region, profile }: AwsAccess): Promise<string> {
  const named = region ?? (profile === undefined ? env("AWS_REGION") : undefined);
  if (named !== undefined && plainRegion.test(named)) return named;
  return (await sdk()).regionOfSdk({ ...present({ region: named }), ...(profile && { profile }) });
}

export async function findEndpoint(service: LightService, access: AwsAccess): Promise<URL> {
  const { endpoint, profile } = access;
  const ignoresConfigured = isSet("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  const configured = ignoresConfigured ? undefined : (env(endpointNames[service]) ?? env("AWS_ENDPOINT_URL"));
  const given = endpoint ?? configured;
  if (given !== undefined) return new URL(given);
  const region = await findRegion(access);
  const isPlain = !isSet("AWS_USE_FIPS_ENDPOINT") && !isSet("AWS_USE_DUALSTACK_ENDPOINT");
  if (isOnLambda() && isPlain) return new URL(`https://${awsHost(service, region)}`);
  return (await sdk()).endpointOfSdk(service, { region, ...present({ profile }) });
}

export function credentialsOf({ credentials, profile, region }: AwsAccess): RenewableCredentials {
  if (typeof credentials === "function") return credentials;
  if (credentials !== undefined) return () => Promise.resolve(credentials);
  let chain: Promise<RenewableCredentials> | undefined;
  return async (options) => {
    const own = profile === undefined && isOnLambda() ? fromEnvironment() : undefined;
    if (own !== undefined) return own;
    chain ??= sdk().then(({ credentialChain }) =>
      credentialChain({ ...(profile && { profile }), ...(region && { region }) }),
    );
    return (await chain)(options);
  };
}

function fromEnvironment(): AwsCredentials | undefined {
  const accessKeyId = env("AWS_ACCESS_KEY_ID");
  const secretAccessKey = env("AWS_SECRET_ACCESS_KEY");
  const sessionToken = env("AWS_SESSION_TOKEN");
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...present({ sessionToken }) };
}
