import { Fault } from "../model/fault";
import { answerBytes, perRegion } from "./sdk/bounded-answers";
import { type JsonClientConfig, type JsonService, openJsonClient } from "./http/json-client";
import type { SqsClient } from "./http/sqs-commands";

/**
 * A late answer is worthless in a slot of 15 s: two attempts of 3 s, 100 ms apart (500 ms if throttled). Limiters bound
 * the connections, so no request waits for a socket. A hundred TLS handshakes may take a second, so connecting has 3 s
 * too.
 */
const sqs: JsonService = {
  service: "sqs",
  target: "AmazonSQS",
  headers: { "x-amzn-query-mode": "true" },
  maxAttempts: 2,
  limits: { connectMs: 3_000, answerMs: 3_000, maxBytes: answerBytes.sqs, maxSockets: Infinity },
};

/**
 * One client for each region. A queue's URL never chooses the host, so no entry can make the function send its session
 * token elsewhere.
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
