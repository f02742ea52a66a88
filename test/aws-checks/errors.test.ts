import { awsFaultKind, faultOf } from "../../lib/aws/fault";
import { failureKind } from "../../lib/aws/http/retries";
import type { FaultKind } from "../../lib/model/fault";
import { toFault } from "../../lib/table/faults";
import { runPython } from "./python";

/** The errors that AWS models for what ebb asks, beside those that lib/aws/fault.ts knows by name. */
const operations = {
  sqs: ["GetQueueAttributes", "GetQueueUrl", "ListQueues", "SendMessageBatch", "ChangeMessageVisibilityBatch"],
  dynamodb: ["PutItem", "GetItem", "DeleteItem", "Query", "BatchGetItem", "BatchWriteItem"],
  cloudwatch: ["GetMetricData"],
  secretsmanager: ["GetSecretValue"],
  ssm: ["GetParameter"],
  sts: ["AssumeRole"],
  eks: ["DescribeCluster"],
};

/** Names that are known by the status of their answer alone, the kind that they become, and why that is right. */
const byStatus: Readonly<Record<string, readonly [status: number, kind: FaultKind, why: string]>> = {
  ...{
    "dynamodb ConditionalCheckFailedException": [400, "badAnswer", "isConditionFailure asks for it first"],
    "dynamodb InternalServerError": [500, "badAnswer", "a write may have been applied"],
    "dynamodb ItemCollectionSizeLimitExceededException": [400, "badAnswer", "the table has no local index"],
    "dynamodb ReplicatedWriteConflictException": [400, "badAnswer", "the table is not global"],
    "dynamodb TransactionConflictException": [400, "badAnswer", "ebb looks what the write did, and the slot retries"],
  },
  ...{
    "secretsmanager DecryptionFailure": [400, "badEntry", "lib/secrets knows it"],
    "secretsmanager InvalidRequestException": [400, "badEntry", "lib/secrets knows it"],
    "secretsmanager InternalServiceError": [500, "badAnswer", "the next slot retries"],
    "ssm InvalidKeyId": [400, "badEntry", "lib/secrets knows it"],
    "ssm InternalServerError": [500, "badAnswer", "the next slot retries"],
  },
  ...{
    "eks ClientException": [400, "badEntry", "the entry names the cluster"],
    "eks ServerException": [500, "badAnswer", "the next slot retries"],
    "eks ServiceUnavailableException": [503, "badAnswer", "the next slot retries"],
    "sts MalformedPolicyDocument": [400, "badEntry", "ebb passes no policy"],
    "sts MalformedPolicyDocumentException": [400, "badEntry", "ebb passes no policy"],
    "sts PackedPolicyTooLarge": [400, "badEntry", "ebb passes no policy"],
    "sts PackedPolicyTooLargeException": [400, "badEntry", "ebb passes no policy"],
    "sts RegionDisabledException": [403, "forbidden", "the account has to enable the region"],
    "cloudwatch InvalidNextToken": [400, "badEntry", "the page's token is CloudWatch's own"],
  },
  ...Object.fromEntries(
    [
      ...["BatchEntryIdsNotDistinct", "BatchRequestTooLong", "EmptyBatchRequest", "InvalidBatchEntryId"],
      ...["InvalidAddress", "InvalidAttributeName", "TooManyEntriesInBatchRequest", "UnsupportedOperation"],
    ].map((name) => [`sqs ${name}`, [400, "badEntry", "the request itself is wrong"] as const]),
  ),
  ...Object.fromEntries(
    ["KmsDisabled", "KmsInvalidKeyUsage", "KmsInvalidState", "KmsNotFound", "KmsOptInRequired"].map((name) => [
      `sqs ${name}`,
      [400, "badEntry", "the slot queue has SQS' own key"] as const,
    ]),
  ),
};

interface Modelled {
  readonly errors: readonly {
    readonly service: string;
    readonly operation: string;
    readonly names: readonly string[];
  }[];
  readonly throttled: readonly string[];
  readonly transient: readonly string[];
}

const modelled = runPython<Modelled>("botocore", "list_errors.py", { operations });
const keys = [...new Set(modelled.errors.flatMap(({ service, names }) => names.map((name) => `${service} ${name}`)))];
const nameOf = (key: string) => key.split(" ")[1] ?? "";

test("each error that AWS models has a kind, by its name or by its status", () => {
  expect(keys.length).toBeGreaterThan(40);
  const unknown = keys.filter((key) => awsFaultKind({ name: nameOf(key) }) === undefined);
  expect(unknown.sort()).toEqual(Object.keys(byStatus).sort());
});

test.each(Object.entries(byStatus))("%s is what its status says", (key, [httpStatusCode, kind]) => {
  const $fault = httpStatusCode < 500 ? "client" : "server";
  const error = Object.assign(new Error("no"), { name: nameOf(key), $fault, $metadata: { httpStatusCode } });
  const place = { action: "PutItem", table: "ebb-prod", region: "eu-central-1" };
  const fault = key.startsWith("dynamodb ")
    ? toFault(error, place)
    : faultOf(error, { action: "a:B", description: "it" });
  expect(fault).toMatchObject({ kind });
});

/** Of services that ebb does not ask. */
const foreign = ["EC2ThrottledException", "TransactionInProgressException"];

test("what botocore retries as throttled is throttled here, and retried", () => {
  for (const name of modelled.throttled) {
    expect([name, failureKind({ name })]).toEqual([name, "throttling"]);
    if (!foreign.includes(name)) expect([name, awsFaultKind({ name })]).toEqual([name, "throttled"]);
  }
  for (const name of modelled.transient) expect([name, failureKind({ name })]).not.toEqual([name, "lasting"]);
  expect(modelled.throttled).toEqual(expect.arrayContaining(foreign));
});
