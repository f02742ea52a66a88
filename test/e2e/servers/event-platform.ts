import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DeleteMessageCommand, ReceiveMessageCommand, type Message, type SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord, ScheduledEvent } from "aws-lambda";
import type { PackagedFunction } from "./functions";

const minuteMs = 60_000;
const account = "123456789012";

export interface PlatformWiring {
  readonly tick: PackagedFunction;
  /**
   * More than one: every message is delivered to each at the same moment, as at-least-once delivery may do at its
   * worst.
   */
  readonly syncs: readonly PackagedFunction[];
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly region: string;
}

/**
 * What EventBridge and Lambda's poller do between our functions: tick gets the scheduled event of every minute, sync
 * gets what tick put on the queue, once it is visible, and what sync did not report as failed is deleted.
 * @returns stop, which rejects with the first failed invocation
 */
export function startEventPlatform(wiring: PlatformWiring): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = Promise.all([untilStopped(schedule), untilStopped(poll)]);
  // stop() reports it. Until then, a failure must not end the process as unhandled.
  running.catch(() => stopping.abort());

  async function untilStopped(loop: (wiring: PlatformWiring, signal: AbortSignal) => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) await loop(wiring, stopping.signal);
  }
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** The minute before first: its slots are this minute's, so that a test need not wait for the next. */
async function schedule({ tick, region }: PlatformWiring, signal: AbortSignal): Promise<void> {
  const minute = Math.floor(Date.now() / minuteMs) * minuteMs;
  await tick.invoke(scheduledEvent(minute - minuteMs, region));
  await sleep(minute + minuteMs - Date.now(), undefined, { signal }).catch(() => undefined);
}

async function poll({ syncs, sqs, queueUrl, region }: PlatformWiring, signal: AbortSignal): Promise<void> {
  const received = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ["All"] }),
  );
  const messages = received.Messages ?? [];
  if (messages.length === 0) return sleep(200, undefined, { signal }).catch(() => undefined);
  const event = sqsEvent(messages, queueUrl, region);
  const answers = (await Promise.all(syncs.map((sync) => sync.invoke(event)))) as SQSBatchResponse[];
  const failures = answers.flatMap(({ batchItemFailures }) => batchItemFailures);
  const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
  for (const { MessageId = "", ReceiptHandle } of messages) {
    if (failed.has(MessageId)) continue;
    await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
  }
}

export function scheduledEvent(at: number, region: string): ScheduledEvent {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account,
    time: new Date(at).toISOString().replace(".000Z", "Z"),
    region,
    resources: [`arn:aws:events:${region}:${account}:rule/ebb-e2e-tick`],
    detail: {},
  };
}

function sqsEvent(messages: readonly Message[], queueUrl: string, region: string): SQSEvent {
  const queue = new URL(queueUrl).pathname.split("/").at(-1);
  return {
    Records: messages.map((message): SQSRecord => ({
      messageId: message.MessageId ?? "",
      receiptHandle: message.ReceiptHandle ?? "",
      body: message.Body ?? "",
      attributes: message.Attributes as unknown as SQSRecord["attributes"],
      messageAttributes: {},
      md5OfBody: message.MD5OfBody ?? "",
      eventSource: "aws:sqs",
      eventSourceARN: `arn:aws:sqs:${region}:${account}:${queue}`,
      awsRegion: region,
    })),
  };
}
