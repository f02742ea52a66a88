import middy, { type MiddlewareObj } from "@middy/core";
import sqsPartialBatchFailure from "@middy/sqs-partial-batch-failure";
import { unlessAborted } from "../lib/async/within-time";
import { callAws } from "../lib/aws/call";
import { ChangeMessageVisibilityBatchCommand, type SqsClient } from "../lib/aws/http/sqs-commands";
import { decodeQueueMessage } from "../lib/model/messages";
import { syncMessage } from "../lib/sync/sync-message";
import type { Telemetry } from "./reporter";
import { recordsOf, withinInvocation, reported } from "./invocation";
import { type SyncWiring, wireSync } from "./wiring";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";

/** Work that listens to the signal has this long to fail with its own error, which says more. */
const graceMs = 100;

/** A record is a shard and slot, or some HPAs to wake. Each fails alone: SQS delivers it again. */
export const syncHandler = ({ ports, reporter, queue, now, workedMs }: SyncWiring) =>
  middy<SQSEvent>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .use(retrySoon({ ...queue, reporter }))
    .use(partialBatchFailure(reporter))
    .handler((event, context) =>
      withinInvocation(context, ({ deadline, signal }) =>
        // The event source's batch size bounds the memory.
        Promise.allSettled(
          recordsOf(event, "SQS records").map(async ({ body }) => {
            const message = decodeQueueMessage(body);
            await unlessAborted(syncMessage(ports, message, { now, workedMs, deadline, signal }), signal, graceMs);
          }),
        ),
      ),
    );

/** A failure outside the records fails the invocation, so that the platform counts it. */
function partialBatchFailure(reporter: SyncWiring["reporter"]): MiddlewareObj {
  const logger = (error: unknown, record: SQSRecord) => reporter.messageFailed(error, record);
  const { onError: _swallows, ...middleware } = sqsPartialBatchFailure({ logger });
  return middleware;
}

/** Kept for the process: clients, connections, tokens, limiters and shard caches. */
let handle: ReturnType<typeof syncHandler> | undefined;

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  handle ??= syncHandler(wireSync(process.env));
  return (await handle(event, context)) as SQSBatchResponse;
}

/** Long enough for a throttled table to recover, short enough for four retries within a slot of 15 s. */
const retryAfterSeconds = 3;
const retryCallMs = 1_000;

/**
 * Makes failed messages visible again in seconds: the queue's visibility timeout (minutes) returns them after their
 * slot. Used before sqs-partial-batch-failure.
 */
function retrySoon({ client, queueUrl, reporter }: RetrySoon): MiddlewareObj<SQSEvent, SQSBatchResponse> {
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
      signal: AbortSignal.timeout(retryCallMs),
    };
    try {
      await callAws(call, (abortSignal) => client.send(command, { abortSignal }));
    } catch (error) {
      reporter.warned("failed messages return only after the queue's visibility timeout", error);
    }
  }
  return { after };
}

interface RetrySoon {
  readonly client: SqsClient;
  readonly queueUrl: string;
  readonly reporter: Pick<Telemetry, "warned">;
}
