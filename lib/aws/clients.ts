import { Fault } from "../model/fault";
import { answerBytes, perRegion } from "./sdk/bounded-answers";
import { type JsonClientConfig, type JsonService, openJsonClient } from "./http/json-client";
import type { SqsClient } from "./http/sqs-commands";

/**
 * A slot is 15 s, and a late answer is worthless: two attempts of at most 3 s each, at most 100 ms apart (500 ms if
 * throttled). Connections stay open between invocations; limiters bound them, so no request waits for a socket. A cold
 * function may take a second for a hundred TLS handshakes, so connecting has 3 s too.
 */
const sqs: JsonService = {
  service: "sqs",
  target: "AmazonSQS",
  headers: { "x-amzn-query-mode": "true" },
  maxAttempts: 2,
  limits: { connectMs: 3_000, answerMs: 3_000, maxBytes: answerBytes.sqs, maxSockets: Infinity },
};

/**
 * One client for each region. A queue's URL never chooses the host: requests go to the region's endpoint (or
 * AWS_ENDPOINT_URL_SQS), so an entry cannot make the function send its session token elsewhere.
 */
export function openSqsClients(config: JsonClientConfig = {}): (region?: string) => SqsClient {
  return perRegion((region) => openJsonClient(sqs, { ...config, ...(region && { region }) }));
}

export async function regionOf(client: { readonly config: { region(): Promise<string> } }): Promise<string> {
  try {
    return await client.config.region();
  } catch (cause) {
    throw new Fault("badEntry", "parameter region: expected a region, here or in AWS_REGION, got neither", {
      cause,
    });
  }
}
