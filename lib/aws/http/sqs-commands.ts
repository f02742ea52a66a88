import type {
  ChangeMessageVisibilityBatchCommandInput,
  ChangeMessageVisibilityBatchCommandOutput,
  GetQueueAttributesCommandInput,
  GetQueueAttributesCommandOutput,
  GetQueueUrlCommandInput,
  GetQueueUrlCommandOutput,
  ListQueuesCommandInput,
  ListQueuesCommandOutput,
  SendMessageBatchCommandInput,
  SendMessageBatchCommandOutput,
} from "@aws-sdk/client-sqs";
import { commandOf, type JsonClient } from "./json-client";

export const GetQueueAttributesCommand = commandOf<GetQueueAttributesCommandInput, GetQueueAttributesCommandOutput>(
  "GetQueueAttributes",
  { repeats: true },
);
export const GetQueueUrlCommand = commandOf<GetQueueUrlCommandInput, GetQueueUrlCommandOutput>("GetQueueUrl");
export const ListQueuesCommand = commandOf<ListQueuesCommandInput, ListQueuesCommandOutput>("ListQueues");
export const SendMessageBatchCommand = commandOf<SendMessageBatchCommandInput, SendMessageBatchCommandOutput>(
  "SendMessageBatch",
);
export const ChangeMessageVisibilityBatchCommand = commandOf<
  ChangeMessageVisibilityBatchCommandInput,
  ChangeMessageVisibilityBatchCommandOutput
>("ChangeMessageVisibilityBatch");

export type SqsClient = JsonClient;
