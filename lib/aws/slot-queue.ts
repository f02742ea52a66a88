import { setTimeout as sleep } from "node:timers/promises";
import type { SendMessageBatchResultEntry } from "@aws-sdk/client-sqs";
import { Fault } from "../model/fault";
import { callAws } from "./call";
import { SendMessageBatchCommand, type SqsClient } from "./json/sqs-commands";
import type { SlotQueue } from "../model/ports/slot-queue";
import { encodeQueueMessage } from "../model/messages";
import { limitConcurrency } from "../async/semaphore";

type Delayed = Parameters<SlotQueue["send"]>[0][number];

/** SQS takes 10 messages a call. 1,000 shards of 4 slots are 400 calls of 10 ms: with 8 at a time, half a second. */
const batchSize = 10;
/** A wake whose names consist of escapes has up to 40 KB. */
const batchBytes = 256 * 1024;
const concurrentBatches = 8;
const attempts = 3;
const firstBackoffMs = 200;

/** Sends refused messages three times in all; a duplicate is harmless. */
export function openSlotQueue({ client, queueUrl }: { client: SqsClient; queueUrl: string }): SlotQueue {
  async function sendBatch(batch: readonly Delayed[], signal: AbortSignal): Promise<readonly Refused[]> {
    const call = { action: "sqs:SendMessage", description: `slot queue ${queueUrl}`, signal };
    const entries = batch.map(({ message, delaySeconds }, id) => ({
      Id: String(id),
      MessageBody: encodeQueueMessage(message),
      DelaySeconds: delaySeconds,
    }));
    const command = new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries });
    const answer = await callAws(call, (abortSignal) => client.send(command, { abortSignal }));
    return refusedOf(batch, answer);
  }

  async function sendPersistently(batch: readonly Delayed[], signal: AbortSignal): Promise<void> {
    let refused = await sendBatch(batch, signal);
    for (let attempt = 1; refused.length > 0 && attempt < attempts; attempt++) {
      if (refused.some(({ hopeless }) => hopeless)) break;
      await sleep(firstBackoffMs * 2 ** (attempt - 1), undefined, { signal });
      refused = await sendBatch(
        refused.map(({ item }) => item),
        signal,
      );
    }
    const [first] = refused;
    if (first === undefined) return;
    const sent = `${batch.length - refused.length} of ${batch.length}`;
    const kind = first.hopeless ? "badEntry" : "throttled";
    throw new Fault(
      kind,
      `slot queue ${queueUrl}: expected SQS to accept ${batch.length} messages, got ${sent} accepted (${first.because})`,
    );
  }

  return {
    async send(messages, signal) {
      const limited = limitConcurrency(concurrentBatches);
      const outcomes = await Promise.allSettled(
        chunks(messages).map((batch) => limited(() => sendPersistently(batch, signal))),
      );
      // Tries every batch before it rejects, so that one failure does not cost other shards their slots.
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}

interface Refused {
  readonly item: Delayed;
  /** The message itself is wrong: sending it again cannot help. */
  readonly hopeless: boolean;
  readonly because: string;
}

/** A message that the answer does not list as accepted counts as refused. */
function refusedOf(
  batch: readonly Delayed[],
  answer: {
    readonly Successful?: readonly SendMessageBatchResultEntry[] | undefined;
    readonly Failed?:
      readonly { Id?: string | undefined; SenderFault?: boolean | undefined; Code?: string | undefined }[] | undefined;
  },
): readonly Refused[] {
  const accepted = new Set(answer.Successful?.map(({ Id }) => Id));
  const failures = new Map(answer.Failed?.map((failure) => [failure.Id, failure]));
  return batch.flatMap((item, id) => {
    if (accepted.has(String(id))) return [];
    const failure = failures.get(String(id));
    return [{ item, hopeless: failure?.SenderFault === true, because: failure?.Code ?? "missing in the answer" }];
  });
}

function chunks(messages: readonly Delayed[]): readonly (readonly Delayed[])[] {
  const batches: Delayed[][] = [];
  let room = 0;
  for (const each of messages) {
    const bytes = Buffer.byteLength(encodeQueueMessage(each.message));
    const last = batches.at(-1);
    if (last === undefined || last.length === batchSize || bytes > room) {
      batches.push([each]);
      room = batchBytes - bytes;
    } else {
      last.push(each);
      room -= bytes;
    }
  }
  return batches;
}
