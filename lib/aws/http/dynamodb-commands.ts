import type * as dynamodb from "@aws-sdk/client-dynamodb";
import { sdkErrorOf } from "../fault";
import type { JsonCodec } from "./post";
import { commandOf, type JsonClient } from "./json-client";

export const PutItemCommand = commandOf<dynamodb.PutItemCommandInput, dynamodb.PutItemCommandOutput>("PutItem");
export const GetItemCommand = commandOf<dynamodb.GetItemCommandInput, dynamodb.GetItemCommandOutput>("GetItem");
export const DeleteItemCommand = commandOf<dynamodb.DeleteItemCommandInput, dynamodb.DeleteItemCommandOutput>(
  "DeleteItem",
);
export const QueryCommand = commandOf<dynamodb.QueryCommandInput, dynamodb.QueryCommandOutput>("Query");
export const BatchGetItemCommand = commandOf<dynamodb.BatchGetItemCommandInput, dynamodb.BatchGetItemCommandOutput>(
  "BatchGetItem",
);
export const BatchWriteItemCommand = commandOf<
  dynamodb.BatchWriteItemCommandInput,
  dynamodb.BatchWriteItemCommandOutput
>("BatchWriteItem");
export const ScanCommand = commandOf<dynamodb.ScanCommandInput, dynamodb.ScanCommandOutput>("Scan");
export const CreateTableCommand = commandOf<dynamodb.CreateTableCommandInput, dynamodb.CreateTableCommandOutput>(
  "CreateTable",
);
export const DescribeTableCommand = commandOf<dynamodb.DescribeTableCommandInput, dynamodb.DescribeTableCommandOutput>(
  "DescribeTable",
);
export const DescribeTimeToLiveCommand = commandOf<
  dynamodb.DescribeTimeToLiveCommandInput,
  dynamodb.DescribeTimeToLiveCommandOutput
>("DescribeTimeToLive");
export const DescribeContinuousBackupsCommand = commandOf<
  dynamodb.DescribeContinuousBackupsCommandInput,
  dynamodb.DescribeContinuousBackupsCommandOutput
>("DescribeContinuousBackups");

export type DynamoClient = JsonClient;

/** `Item` is in the table, if the write asked for it and there is one. */
export interface ConditionFailure {
  readonly Item?: Record<string, dynamodb.AttributeValue>;
}

export function isConditionFailure(error: unknown): error is ConditionFailure {
  return sdkErrorOf(error).name === "ConditionalCheckFailedException";
}

/**
 * Like the SDK: binary attributes are base64 in JSON and bytes here. A reviver takes three times as long, so it runs
 * only for texts with one.
 */
export const dynamoJson: JsonCodec = {
  encode(input) {
    const text = JSON.stringify(input);
    return /"BS?":[[{]/.test(text) ? JSON.stringify(input, bytesToText) : text;
  },
  decode: (text) => JSON.parse(text, /"BS?"/.test(text) ? textToBytes : undefined) as unknown,
};

function bytesToText(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const given = this[key]; // before a Buffer's own toJSON
  return given instanceof Uint8Array ? Buffer.from(given).toString("base64") : value;
}

/** A type is followed by its value; an attribute named "B" or "BS" is followed by a map. */
function textToBytes(key: string, value: unknown): unknown {
  if (key === "B" && typeof value === "string") return bytesOf(value);
  if (key === "BS" && Array.isArray(value))
    return value.map((each: unknown) => (typeof each === "string" ? bytesOf(each) : each));
  return value;
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}
