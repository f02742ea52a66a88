import { answerBytes, withBoundedAnswers, ownConnections, mostRegions } from "../aws/sdk/bounded-answers";
import { awsFaultKind, missingAccessOf, type SdkError, sdkErrorOf, serviceWords } from "../aws/fault";
import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { SSMClient } from "@aws-sdk/client-ssm";
import { BoundedMap } from "../async/bounded-map";
import { Fault, type FaultKind, isFault } from "../model/fault";
import { OutOfTime, withinTime } from "../async/within-time";

/** Does not cache. Rejects with a Fault. */
export type ReadSecret = (name: string, signal: AbortSignal) => Promise<string>;

const TIMEOUT_MS = 5_000;
const SSM_PREFIX = "ssm:";

/** From Secrets Manager (ARN or name) or, with `ssm:`, from SSM parameters. An ARN is read in its own region. */
export function openSecrets(options: { readonly region?: string } = {}): ReadSecret {
  const managers = new BoundedMap<string, SecretsManagerClient>(mostRegions);
  const parameters = new BoundedMap<string, SSMClient>(mostRegions);

  async function fromSecretsManager(name: string, signal: AbortSignal): Promise<string> {
    const { GetSecretValueCommand, SecretsManagerClient } = await import("./secrets-manager-client");
    const region = regionOf(name) ?? options.region;
    const client = remembered(managers, region, () =>
      withBoundedAnswers(new SecretsManagerClient(clientOptions(region)), answerBytes.secret),
    );
    await requireRegion(name, client);
    const { SecretString, SecretBinary } = await client.send(new GetSecretValueCommand({ SecretId: name }), {
      abortSignal: signal,
    });
    return SecretString ?? (SecretBinary === undefined ? "" : Buffer.from(SecretBinary).toString("utf8"));
  }

  async function fromParameters(name: string, signal: AbortSignal): Promise<string> {
    const { GetParameterCommand, SSMClient } = await import("./ssm-client");
    const region = regionOf(name) ?? options.region;
    const client = remembered(parameters, region, () =>
      withBoundedAnswers(new SSMClient(clientOptions(region)), answerBytes.secret),
    );
    await requireRegion(name, client);
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }), {
      abortSignal: signal,
    });
    return Parameter?.Value ?? "";
  }

  return async (name, signal) => {
    let value: string;
    try {
      value = await withinTime(TIMEOUT_MS, signal, (limit) =>
        name.startsWith(SSM_PREFIX)
          ? fromParameters(name.slice(SSM_PREFIX.length), limit)
          : fromSecretsManager(name, limit),
      );
    } catch (error) {
      if (isFault(error)) throw error;
      throw secretFault(name, error);
    }
    if (value === "")
      throw new Fault("badEntry", `secret ${name}: expected a value, got an empty one`, { part: "secret" });
    return value;
  };
}

function remembered<T>(clients: Map<string, T>, region: string | undefined, open: () => T): T {
  const key = region ?? "";
  const client = clients.get(key) ?? open();
  clients.set(key, client);
  return client;
}

function clientOptions(region: string | undefined) {
  return {
    ...(region === undefined ? {} : { region }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 3_000, ...ownConnections(50) },
  };
}

/** @throws Fault "unauthorized" if this machine has no region. */
async function requireRegion(name: string, client: { readonly config: { region(): Promise<string> } }): Promise<void> {
  try {
    await client.config.region();
  } catch {
    const ways = "set AWS_REGION, choose --region, or name the secret by its ARN";
    const message = `secret ${name}: no AWS region is set to read it in: ${ways}`;
    throw new Fault("unauthorized", message, { lack: "region", part: "secret" });
  }
}

function regionOf(name: string): string | undefined {
  const [arn, , , region] = name.split(":");
  return arn === "arn" && region !== undefined && region !== "" ? region : undefined;
}

function secretFault(name: string, error: unknown): Fault {
  if (error instanceof OutOfTime)
    return new Fault("timeout", `secret ${name}: ${error.message}`, { lack: "connection", part: "secret" });
  const sdkError = sdkErrorOf(error);
  const kind = secretFaultKind(sdkError);
  const isAnswered = kind === "notFound" || kind === "badEntry";
  const lack = isAnswered ? undefined : (missingAccessOf(kind) ?? "connection");
  // Without the cause: an SDK error may hold the answer.
  return new Fault(kind, `secret ${name}: ${serviceWords(sdkError)}`, {
    ...{ lack, part: "secret" },
    requestId: sdkError.$metadata?.requestId,
  });
}

/** The secret is about to be deleted, or its key is disabled or gone. */
const unusable = ["InvalidRequestException", "DecryptionFailure", "InvalidKeyId"];

function secretFaultKind(error: SdkError): FaultKind {
  const isUnusable = typeof error.name === "string" && unusable.includes(error.name);
  return isUnusable ? "badEntry" : (awsFaultKind(error) ?? "unreachable");
}
