import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import type { DynamoClient } from "../../lib/aws/http/dynamodb-commands";
import { dynamoClient } from "../../lib/table/client";
import { postOver } from "../aws/http/post-over";
import { HttpResponse, type HttpRequest } from "@smithy/protocol-http";
import { memoryTable, type Request } from "../faults/world/memory-table";

export const memoryTableName = "ebb";

/** A real client whose requests reach a table in memory. test/contract holds both to what the service does. */
export function memoryDynamodb(table = memoryTable({ now: () => Date.now() })): DynamoClient {
  return dynamoClient({
    region: "eu-west-1",
    endpoint: "http://localhost",
    credentials: { accessKeyId: "memory", secretAccessKey: "memory" },
    post: postOver({
      handle: (request, { abortSignal }) =>
        abortSignal.aborted
          ? Promise.reject(Object.assign(new Error("aborted"), { name: "AbortError" }))
          : Promise.resolve({ response: answer(request) }),
    }),
  });

  function answer({ headers, body }: HttpRequest): HttpResponse {
    const action = (headers["x-amz-target"] ?? "").split(".")[1] as Request["action"];
    const input = JSON.parse(new TextDecoder().decode(body as Uint8Array)) as never;
    if (tableOf(input) !== memoryTableName) return failure("ResourceNotFoundException", "Requested resource not found");
    try {
      return response(200, table.execute({ action, input }));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return failure(error.name, error.message, error.Item);
    }
  }
}

function tableOf({ TableName, RequestItems = {} }: { TableName?: string; RequestItems?: object }): string | undefined {
  return TableName ?? Object.keys(RequestItems)[0];
}

function failure(name: string, message: string, Item?: object): HttpResponse {
  return response(400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, Item });
}

function response(statusCode: number, output: object): HttpResponse {
  const headers = { "content-type": "application/x-amz-json-1.0" };
  return new HttpResponse({ statusCode, headers, body: Buffer.from(JSON.stringify(output)) });
}
