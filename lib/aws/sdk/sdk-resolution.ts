import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { fromNodeProviderChain } from "@aws-sdk/credential-providers";
import type { HttpRequest } from "@smithy/protocol-http";
import type { LightService } from "../endpoint";
import type { RenewableCredentials } from "../credentials";

/** Few functions on Lambda load this file of the bundle. */
interface Where {
  readonly region?: string;
  readonly profile?: string;
}

export function regionOfSdk(where: Where): Promise<string> {
  return new SQSClient(where).config.region();
}

export function credentialChain({ profile, region }: Where): RenewableCredentials {
  return fromNodeProviderChain({ ...(profile && { profile }), ...(region && { clientConfig: { region } }) });
}

/** Lets the SDK send a request, which goes nowhere. */
export async function endpointOfSdk(service: LightService, where: Where): Promise<URL> {
  let found: URL | undefined;
  const requestHandler = {
    handle({ protocol, hostname, port, path }: HttpRequest) {
      found = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
      return Promise.reject(new Error("not sent"));
    },
  };
  const credentials = { accessKeyId: "none", secretAccessKey: "none" };
  const config = { ...where, credentials, requestHandler: requestHandler as never, maxAttempts: 1 };
  const sending =
    service === "sqs"
      ? new SQSClient(config).send(new ListQueuesCommand({}))
      : new DynamoDBClient(config).send(new ListTablesCommand({}));
  const failure: unknown = await sending.catch((error: unknown) => error);
  if (found === undefined) throw failure;
  return found;
}
