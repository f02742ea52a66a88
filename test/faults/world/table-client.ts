import type { DynamoClient } from "../../../lib/aws/http/dynamodb-commands";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import type { MemoryTable, Request } from "./memory-table";
import type { Outcome, Wire } from "./wire";

/** As lib/table's client: three attempts of 4 s each. */
const attempts = 3;
const limitMs = 4_000;

/** What lib/table uses of its client, over the wire. */
export function tableClient(table: MemoryTable, wire: Wire): DynamoClient {
  const client = {
    config: { region: () => Promise.resolve("eu-west-1") },
    send(command: AnyCommand, options: Options = {}) {
      const action = operationOf(command) as Request["action"];
      const request = { action, input: command.input } as Request;
      return wire({
        name: `table ${action} ${aboutOf(request)}`,
        signal: options.abortSignal,
        attempts,
        limitMs,
        arrive(attempt) {
          try {
            return table.execute(request);
          } catch (error) {
            // The SDK's own errors count the attempts.
            if (error instanceof ConditionalCheckFailedException) error.$metadata.attempts = attempt;
            throw error;
          }
        },
        failure,
      });
    },
  };
  return client as unknown as DynamoClient;
}

/** ebb 0.1.0 sends the SDK's commands. */
type AnyCommand = {
  readonly operation?: string;
  readonly constructor: { readonly name: string };
  readonly input: object;
};

function operationOf({ operation, constructor }: AnyCommand): string {
  return operation ?? constructor.name.replace(/Command$/, "");
}

interface Options {
  readonly abortSignal?: AbortSignal;
}

function aboutOf({ action, input }: Request): string {
  switch (action) {
    case "GetItem":
    case "DeleteItem":
      return input.Key?.["sk"]?.S ?? "";
    case "PutItem":
      return input.Item?.["sk"]?.S ?? "";
    case "Query":
      return input.ExpressionAttributeValues?.[":low"]?.S ?? input.ExpressionAttributeValues?.[":pk"]?.S ?? "";
    default:
      return "";
  }
}

const answers = [
  { name: "ProvisionedThroughputExceededException", status: 400 },
  { name: "InternalServerError", status: 500 },
  { name: "ThrottlingException", status: 400 },
];

function failure(outcome: Outcome, made: number): Error {
  if (outcome.kind === "aborted") return sdkError("AbortError", { attempts: made });
  if (outcome.kind === "noAnswer") return sdkError("TimeoutError", { attempts: made });
  const { name, status } = outcome.kind === "failedAfter" ? answers[1]! : answers[outcome.variant % answers.length]!;
  return sdkError(name, { attempts: made, httpStatusCode: status });
}

function sdkError(name: string, $metadata: object): Error {
  return Object.assign(new Error("by the story"), { name, $metadata });
}
