import middy from "@middy/core";
import sqsPartialBatchFailure from "@middy/sqs-partial-batch-failure";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { decodeSlotMessage } from "../lib/sync/slot-message";
import { syncShard } from "../lib/sync/sync-shard";
import { unlessAborted, withinInvocation } from "./invocation";
import { reported } from "./reported";
import { retrySoon } from "./retry-soon";
import { settleEach } from "./settle-each";
import { type SyncWiring, wireSync } from "./wiring";

/** Shards that one invocation syncs at a time: each waits for the network most of its time, and keeps its pods in memory. */
const concurrentShards = 4;

/** Each record is one shard and slot. A record fails alone: SQS gives it again, and after some tries to the dead-letter queue. */
export const syncHandler = ({ ports, reporter, queue, now }: SyncWiring) =>
  middy<SQSEvent>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .use(retrySoon({ ...queue, reporter }))
    .use(sqsPartialBatchFailure({ logger: (error, record: SQSRecord) => reporter.messageFailed(error, record) }))
    .handler((event, context) =>
      withinInvocation(context, ({ deadline, signal }) =>
        settleEach(event.Records, concurrentShards, async ({ body }) => {
          const message = decodeSlotMessage(body);
          signal.throwIfAborted();
          await unlessAborted(signal, syncShard(ports, message, { now, deadline, signal }));
        }),
      ),
    );

/** Made by the first invocation and kept for the process: clients, connections and tokens, nothing that decides. */
let handle: ReturnType<typeof syncHandler> | undefined;

export function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  handle ??= syncHandler(wireSync(process.env));
  return handle(event, context) as Promise<SQSBatchResponse>;
}
