import batchGetItem from "dynalite/actions/batchGetItem";
import createTable from "dynalite/actions/createTable";
import deleteTable from "dynalite/actions/deleteTable";
import describeTable from "dynalite/actions/describeTable";
import describeTimeToLive from "dynalite/actions/describeTimeToLive";
import getItem from "dynalite/actions/getItem";
import listTables from "dynalite/actions/listTables";
import listTagsOfResource from "dynalite/actions/listTagsOfResource";
import query from "dynalite/actions/query";
import scan from "dynalite/actions/scan";
import tagResource from "dynalite/actions/tagResource";
import untagResource from "dynalite/actions/untagResource";
import updateTable from "dynalite/actions/updateTable";
import batchGetItemInput from "dynalite/validations/batchGetItem";
import createTableInput from "dynalite/validations/createTable";
import deleteTableInput from "dynalite/validations/deleteTable";
import describeTableInput from "dynalite/validations/describeTable";
import describeTimeToLiveInput from "dynalite/validations/describeTimeToLive";
import getItemInput from "dynalite/validations/getItem";
import listTablesInput from "dynalite/validations/listTables";
import listTagsOfResourceInput from "dynalite/validations/listTagsOfResource";
import queryInput from "dynalite/validations/query";
import scanInput from "dynalite/validations/scan";
import tagResourceInput from "dynalite/validations/tagResource";
import untagResourceInput from "dynalite/validations/untagResource";
import updateTableInput from "dynalite/validations/updateTable";
import {
  change,
  validated,
  type TableOperation,
  plain,
  isOperationError,
  type OperationInput,
  operationError,
} from "./operation";
import { transactGetItems, transactWriteItems } from "./transactions";
import { batchWriteItem, writeItem } from "./write-item";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { crc32 } from "node:zlib";
import { isMap } from "../../../lib/k8s/map";
import { errorText } from "../../../lib/model/fault";
import type { TableFiles } from "./files";

/** There are none, but `ebb doctor` and Terraform read this. */
const describeContinuousBackups: TableOperation = ({ store }, input) =>
  new Promise((resolve, reject) => {
    // It has the same input.
    const { TableName } = validated(describeTimeToLiveInput, input, store);
    store.getTable(String(TableName), false, (error) => {
      if (error) return reject(error);
      resolve({
        ContinuousBackupsDescription: {
          ContinuousBackupsStatus: "DISABLED",
          PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "DISABLED" },
        },
      });
    });
  });

/** See docs/local-backends.md. */
export const operations: Readonly<Record<string, TableOperation>> = {
  BatchGetItem: plain(batchGetItem, batchGetItemInput),
  BatchWriteItem: batchWriteItem,
  CreateTable: change(createTable, createTableInput),
  DeleteItem: writeItem("DeleteItem"),
  DeleteTable: change(deleteTable, deleteTableInput),
  DescribeContinuousBackups: describeContinuousBackups,
  DescribeTable: plain(describeTable, describeTableInput),
  DescribeTimeToLive: plain(describeTimeToLive, describeTimeToLiveInput),
  GetItem: plain(getItem, getItemInput),
  ListTables: plain(listTables, listTablesInput),
  ListTagsOfResource: plain(listTagsOfResource, listTagsOfResourceInput),
  PutItem: writeItem("PutItem"),
  Query: plain(query, queryInput),
  Scan: plain(scan, scanInput),
  TagResource: change(tagResource, tagResourceInput),
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UntagResource: change(untagResource, untagResourceInput),
  UpdateItem: writeItem("UpdateItem"),
  UpdateTable: change(updateTable, updateTableInput),
};

/** AWS JSON 1.0. Never rejects. */
export async function answer(
  files: TableFiles,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  try {
    send(response, 200, await run(files, request, body));
  } catch (error) {
    if (isOperationError(error)) return send(response, error.statusCode, error.body);
    const message = errorText(error);
    send(response, 500, { __type: "com.amazonaws.dynamodb.v20120810#InternalServerError", message });
  }
}

async function run(files: TableFiles, { headers }: IncomingMessage, body: Buffer): Promise<unknown> {
  const target = String(headers["x-amz-target"]);
  const name = /^DynamoDB_20120810\.(\w+)$/.exec(target)?.[1] ?? "";
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined) {
    const all = Object.keys(operations).join(", ");
    throw operationError("UnknownOperationException", `the local table has no ${target.slice(0, 100)}; it has ${all}`);
  }
  return operation(files, readInput(body));
}

function readInput(body: Buffer): OperationInput {
  let input: unknown;
  try {
    input = JSON.parse(body.toString("utf8"));
  } catch {
    input = undefined;
  }
  if (!isMap(input)) throw operationError("SerializationException", "expected a JSON object in the body");
  return input;
}

function send(response: ServerResponse, code: number, output: unknown): void {
  if (response.destroyed) return;
  const text = JSON.stringify(output);
  response.writeHead(code, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": Buffer.byteLength(text),
    "x-amz-crc32": crc32(text),
    "x-amzn-requestid": randomUUID(),
  });
  response.end(text);
}
