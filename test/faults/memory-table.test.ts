import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { HttpResponse, type HttpRequest } from "@smithy/protocol-http";
import { dynamodbBench } from "../contract/dynamodb-bench";
import { eventsContract } from "../contract/events-contract";
import type { StoreUnderTest } from "../contract/shared-server";
import { storeContract } from "../contract/store-contract";
import { tableContract } from "../contract/table-contract";
import { memoryTable, type Request } from "./world/memory-table";

storeContract("the simulator's table", setUpBench);
eventsContract("the simulator's table", setUpBench);
tableContract("the simulator's table", setUp);

async function setUpBench() {
  return dynamodbBench(await setUp());
}

/** A real client whose requests reach the table in memory. */
function setUp(): Promise<StoreUnderTest> {
  const table = memoryTable({ now: () => Date.now() });
  const client = new DynamoDBClient({
    region: "eu-west-1",
    endpoint: "http://localhost",
    credentials: { accessKeyId: "simulator", secretAccessKey: "simulator" },
    requestHandler: {
      handle: (request: HttpRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) =>
        abortSignal?.aborted === true
          ? Promise.reject(Object.assign(new Error("aborted"), { name: "AbortError" }))
          : Promise.resolve({ response: answer(request) }),
    },
  });
  return Promise.resolve({ client, table: "ebb", close: () => Promise.resolve() });

  function answer({ headers, body }: HttpRequest): HttpResponse {
    const action = (headers["x-amz-target"] ?? "").split(".")[1] as Request["action"];
    const input = JSON.parse(String(body)) as never;
    if (tableOf(input) !== "ebb") return failure("ResourceNotFoundException", "Requested resource not found");
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
