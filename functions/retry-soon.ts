import type { MiddlewareObj } from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { callAws } from "../lib/aws/call";
import { ChangeMessageVisibilityBatchCommand, type SqsClient } from "../lib/aws/json/sqs-commands";
import type { Telemetry } from "../lib/telemetry/reporter";

/** Long enough for a throttled table to recover, short enough for four retries within a slot of 15 s. */
const retryAfterSeconds = 3;
const limitMs = 1_000;

/**
 * Middleware, used before sqs-partial-batch-failure. It makes failed messages visible again in seconds. With the
 * queue's visibility timeout (minutes), they would return after their slot. If this call fails, the visibility timeout
 * still applies.
 */
export function retrySoon({ client, queueUrl, reporter }: RetrySoon): MiddlewareObj<SQSEvent, SQSBatchResponse> {
  async function after({ event, response }: { event: SQSEvent; response: SQSBatchResponse | null }): Promise<void> {
    const failed = new Set(response?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const entries = event.Records.filter(({ messageId }) => failed.has(messageId)).map(({ receiptHandle }, id) => ({
      Id: String(id),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: retryAfterSeconds,
    }));
    if (entries.length === 0) return;
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries: entries.slice(0, 10) });
    const call = {
      action: "sqs:ChangeMessageVisibility",
      description: `slot queue ${queueUrl}`,
      signal: AbortSignal.timeout(limitMs),
    };
    try {
      await callAws(call, (abortSignal) => client.send(command, { abortSignal }));
    } catch (error) {
      reporter.warned("failed messages return only after the queue's visibility timeout", error);
    }
  }
  return { after };
}

export interface RetrySoon {
  readonly client: SqsClient;
  readonly queueUrl: string;
  readonly reporter: Pick<Telemetry, "warned">;
}
