import type { Call } from "./iam";

interface Key {
  readonly [name: string]: { readonly S?: string };
}

interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Key;
  readonly Item?: Key;
  readonly ExpressionAttributeValues?: Key;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly RequestItems?: Readonly<Record<string, Batch>>;
}

type Batch =
  | { readonly Keys: readonly Key[] }
  | readonly { readonly PutRequest?: { readonly Item: Key }; readonly DeleteRequest?: { readonly Key: Key } }[];

/** A request of DynamoDB's JSON protocol as IAM sees it. `arnOf` gives a table's ARN. */
export function dynamoCall(action: string, request: unknown, arnOf: (table: string) => string): Call {
  const { TableName, IndexName, Key, Item, ExpressionAttributeValues: values, RequestItems } = request as Input;
  const [batch] = Object.entries(RequestItems ?? {});
  const table = TableName ?? batch?.[0];
  if (table === undefined) throw new Error(`${action}: expected a table in ${JSON.stringify(request)}`);
  const keys = batch ? keysOf(batch[1]) : [Key ?? Item];
  // The queries of lib/table/reads.ts compare the partition key with :pk, and that of the index with :sk.
  const queried = IndexName === undefined ? values?.[":pk"]?.S : values?.[":sk"]?.S;
  const leadingKeys = action === "Query" ? [queried] : keys.map((key) => key?.["pk"]?.S);
  if (leadingKeys.some((key) => key === undefined)) throw new Error(`${action}: no key in ${JSON.stringify(request)}`);
  const attributes = attributesOf(request as Input);
  return {
    action: `dynamodb:${action}`,
    resource: IndexName === undefined ? arnOf(table) : `${arnOf(table)}/index/${IndexName}`,
    leadingKeys: leadingKeys as string[],
    ...(attributes.length > 0 && { attributes }),
  };
}

/** Every attribute that the request names. AWS may leave out those of a condition: a policy must allow both. */
function attributesOf({
  Item = {},
  ExpressionAttributeNames: names = {},
  RequestItems = {},
}: Input): readonly string[] {
  const put = Object.values(RequestItems).flatMap((batch) => {
    const writes = "Keys" in batch ? [] : batch;
    return writes.flatMap(({ PutRequest }) => Object.keys(PutRequest?.Item ?? {}));
  });
  return [...new Set([...Object.keys(Item), ...Object.values(names), ...put])];
}

function keysOf(batch: Batch): readonly (Key | undefined)[] {
  if ("Keys" in batch) return batch.Keys;
  return batch.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key);
}
