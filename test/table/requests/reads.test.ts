import { AnswerTooLarge } from "../../../lib/aws/http/answer-reader";
import { getItem, getItemsAs } from "../../../lib/table/get-items";
import {
  pagesOfRange,
  queryKind,
  queryNewest,
  queryPartition,
  queryRange,
  querySortKeys,
  queryRangeAs,
} from "../../../lib/table/reads";
import { scriptedTable, sdkError, withoutWaiting } from "./scripted-table";

const { signal } = new AbortController();
const waits = withoutWaiting();
const item = (sk: string) => ({ pk: { S: "CLUSTER#prod" }, sk: { S: sk } });
const range = { pk: "CLUSTER#prod", low: "HPA#a", high: "HPA#m" };
const between = {
  TableName: "ebb",
  KeyConditionExpression: "#pk = :pk AND #sk BETWEEN :low AND :high",
  ExpressionAttributeNames: { "#pk": "pk", "#sk": "sk" },
  ExpressionAttributeValues: { ":pk": { S: "CLUSTER#prod" }, ":low": { S: "HPA#a" }, ":high": { S: "HPA#m" } },
  ConsistentRead: true,
};

describe("what a read asks, and what comes back", () => {
  test("an item, consistently", async () => {
    const { table, sent } = scriptedTable({ Item: item("HPA#a") });
    const key = { pk: "CLUSTER#prod", sk: "HPA#a" };
    expect(await getItem(table, key, signal)).toEqual(item("HPA#a"));
    expect(await getItem(table, key)).toBeUndefined();
    const input = { TableName: "ebb", Key: item("HPA#a"), ConsistentRead: true };
    expect(sent).toEqual([
      { action: "GetItem", input, signal },
      { action: "GetItem", input, signal: undefined },
    ]);
  });

  test("of an item, some attributes alone", async () => {
    const { table, sent } = scriptedTable({});
    await getItem(table, { pk: "CLUSTER#prod", sk: "HPA#a" }, signal, ["sk", "hash"]);
    expect(sent[0]?.input).toMatchObject({
      ProjectionExpression: "#sk, #hash",
      ExpressionAttributeNames: { "#sk": "sk", "#hash": "hash" },
    });
  });

  test("a range page by page, as it is asked for, without the item at its end", async () => {
    const pages = [{ Items: [item("HPA#a"), {}], LastEvaluatedKey: item("HPA#b") }, { Items: [item("HPA#m")] }];
    const { table, sent } = scriptedTable(...pages);
    const read = pagesOfRange(table, range, signal);
    expect(await read.next()).toEqual({ done: false, value: [item("HPA#a"), {}] });
    expect(sent).toHaveLength(1);
    expect(await read.next()).toStrictEqual({ done: false, value: [] });
    expect((await read.next()).done).toBe(true);
  });

  test.each(["HPA#m", "HPA#n"])("a range of nothing from %s on has no page", async (low) => {
    const { table, sent } = scriptedTable();
    expect((await pagesOfRange(table, { ...range, low }, signal).next()).done).toBe(true);
    expect(sent).toEqual([]);
  });

  test("sort keys of items without one are empty", async () => {
    const { table } = scriptedTable({ Items: [{}, { sk: { S: "HPA#a" } }] });
    expect(await querySortKeys(table, range, signal)).toEqual(["", "HPA#a"]);
  });

  test("a range, consistently, without the item at its end", async () => {
    const { table, sent } = scriptedTable({ Items: [item("HPA#a"), {}, item("HPA#m")] });
    expect(await queryRange(table, range, signal)).toEqual([item("HPA#a"), {}]);
    expect(sent).toEqual([{ action: "Query", input: between, signal }]);
  });

  test("of a range, the sort keys alone", async () => {
    const { table, sent } = scriptedTable({ Items: ["HPA#a", "HPA#b", "HPA#m"].map((sk) => ({ sk: { S: sk } })) });
    expect(await querySortKeys(table, range, signal)).toEqual(["HPA#a", "HPA#b"]);
    expect(sent).toEqual([{ action: "Query", input: { ...between, ProjectionExpression: "#sk" }, signal }]);
  });

  test.each([
    ["HPA#m", "HPA#m"],
    ["HPA#m", "HPA#a"],
  ])("a range of nothing (%s to %s) is not asked: the service refuses it", async (low, high) => {
    const { table, sent } = scriptedTable();
    expect(await queryRange(table, { ...range, low, high }, signal)).toEqual([]);
    expect(sent).toEqual([]);
  });

  test("each page is decoded before the next is read", async () => {
    const order: string[] = [];
    const { table, sent } = scriptedTable(
      { Items: [item("HPA#a"), item("HPA#b")], LastEvaluatedKey: item("HPA#b") },
      { LastEvaluatedKey: item("HPA#c") },
      { Items: [item("HPA#d")] },
    );
    const decode = ({ sk }: { sk?: { S?: string } }) => {
      order.push(`${sk?.S} after ${sent.length}`);
      return sk?.S;
    };
    expect(await queryRangeAs(table, range, signal, decode as never)).toEqual(["HPA#a", "HPA#b", "HPA#d"]);
    expect(order).toEqual(["HPA#a after 1", "HPA#b after 1", "HPA#d after 3"]);
    expect(sent.map(({ input }) => input)).toEqual([
      between,
      { ...between, ExclusiveStartKey: item("HPA#b") },
      { ...between, ExclusiveStartKey: item("HPA#c") },
    ]);
  });

  test("the newest of a range: backwards, until there are enough", async () => {
    const page = { Items: [item("4"), item("3")], LastEvaluatedKey: item("3") };
    const { table, sent } = scriptedTable(page, { Items: [item("2"), item("1")], LastEvaluatedKey: item("1") }, page);
    expect(await queryNewest(table, range, 3, signal)).toEqual([item("4"), item("3"), item("2")]);
    const newest = { ...between, ScanIndexForward: false, Limit: 3 };
    expect(sent.map(({ input }) => input)).toEqual([newest, { ...newest, ExclusiveStartKey: item("3") }]);
  });

  test("exactly as many as asked for: no further page", async () => {
    const { table, sent } = scriptedTable({ Items: [item("4"), item("3")], LastEvaluatedKey: item("3") });
    expect(await queryNewest(table, range, 2, signal)).toHaveLength(2);
    expect(sent).toHaveLength(1);
  });

  test("a partition, consistently", async () => {
    const { table, sent } = scriptedTable({ Items: [item("x"), item("y")] });
    expect(await queryPartition(table, "SHARD", signal)).toEqual([item("x"), item("y")]);
    const input = {
      TableName: "ebb",
      KeyConditionExpression: "#pk = :pk",
      ExpressionAttributeNames: { "#pk": "pk" },
      ExpressionAttributeValues: { ":pk": { S: "SHARD" } },
      ConsistentRead: true,
    };
    expect(sent).toEqual([{ action: "Query", input, signal }]);
  });

  test("the keys of a kind come from the index, which has no consistent reads", async () => {
    const { table, sent } = scriptedTable({ Items: [item("CLUSTER")] });
    expect(await queryKind(table, "CLUSTER", signal)).toEqual([item("CLUSTER")]);
    const input = {
      TableName: "ebb",
      IndexName: "by-kind",
      KeyConditionExpression: "#sk = :sk",
      ExpressionAttributeNames: { "#sk": "sk" },
      ExpressionAttributeValues: { ":sk": { S: "CLUSTER" } },
    };
    expect(sent).toEqual([{ action: "Query", input, signal }]);
  });
});

describe("a batch of keys", () => {
  const keys = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => item(String(from + index)));
  const asked = (from: number, to: number) => ({
    action: "BatchGetItem",
    input: { RequestItems: { ebb: { Keys: keys(from, to), ConsistentRead: true } } },
    signal,
  });
  const found = (from: number, to: number, left?: readonly object[]) => ({
    Responses: { ebb: keys(from, to) },
    ...(left && { UnprocessedKeys: { ebb: { Keys: left } } }),
  });
  const read = (table: Parameters<typeof getItemsAs>[0], all: ReturnType<typeof keys>) =>
    getItemsAs(table, all, signal, ({ sk }) => sk?.S);

  test("100 at a time, consistently", async () => {
    const { table, sent } = scriptedTable(found(0, 100), found(100, 200), found(200, 201));
    expect(await read(table, keys(0, 201))).toHaveLength(201);
    expect(sent).toEqual([asked(0, 100), asked(100, 200), asked(200, 201)]);
    expect(waits).toEqual([]);
  });

  test("no key: no request; an answer of nothing: nothing", async () => {
    const { table, sent } = scriptedTable({}, { Responses: {} });
    expect(await read(table, [])).toEqual([]);
    expect(sent).toEqual([]);
    expect(await read(table, keys(0, 1))).toEqual([]);
    expect(await read(table, keys(0, 1))).toEqual([]);
  });

  test("what the service leaves out is asked again, after a wait", async () => {
    const { table, sent } = scriptedTable(
      found(0, 2, keys(2, 5)),
      { UnprocessedKeys: { ebb: { Keys: keys(2, 5) } } },
      found(2, 5),
    );
    expect(await read(table, keys(0, 5))).toEqual(["0", "1", "2", "3", "4"]);
    expect(sent).toEqual([asked(0, 5), asked(2, 5), asked(2, 5)]);
    expect(waits).toEqual([
      { ms: 50, signal },
      { ms: 100, signal },
    ]);
  });

  test("six times at most, and the fault says where", async () => {
    const { table, sent } = scriptedTable(...Array.from({ length: 9 }, () => found(0, 1, keys(1, 3))));
    await expect(read(table, keys(0, 3))).rejects.toMatchObject({
      kind: "throttled",
      message: 'table "ebb" in region xx-1: BatchGetItem: 2 of 3 keys are still unprocessed after 6 attempts',
    });
    expect(sent).toHaveLength(6);
    expect(waits.map(({ ms }) => ms)).toEqual([50, 100, 200, 400, 800]);
  });

  test("a wait ends with the caller's signal", async () => {
    const aborted = AbortSignal.abort();
    const { table } = scriptedTable(found(0, 1, keys(1, 3)));
    await expect(getItemsAs(table, keys(0, 3), aborted, (one) => one)).rejects.toMatchObject({ kind: "timeout" });
  });

  test("an answer that is too large: each half of what is still missing", async () => {
    const { table, sent } = scriptedTable(
      found(0, 1, keys(1, 4)),
      new AnswerTooLarge("9 bytes"),
      found(1, 3),
      found(3, 4),
    );
    expect(await read(table, keys(0, 4))).toEqual(["0", "1", "2", "3"]);
    expect(sent).toEqual([asked(0, 4), asked(1, 4), asked(1, 3), asked(3, 4)]);
  });

  test.each([
    ["an error of another kind", 2, sdkError("InternalServerError"), "InternalServerError"],
    ["a throttle", 2, sdkError("ThrottlingException"), "throttled"],
    ["one item that is too large", 1, new AnswerTooLarge("9 bytes"), "AnswerTooLarge"],
  ])("%s is not asked in halves", async (_name, count, error, said) => {
    const { table, sent } = scriptedTable(error);
    await expect(read(table, keys(0, count))).rejects.toThrow(new RegExp(`${said}|said so`));
    expect(sent).toHaveLength(1);
  });
});

test.each<[string, (table: Parameters<typeof getItem>[0]) => Promise<unknown>]>([
  ["GetItem", (table) => getItem(table, { pk: "a", sk: "b" }, signal)],
  ["Query", (table) => queryPartition(table, "SHARD", signal)],
  ["BatchGetItem", (table) => getItemsAs(table, [item("a")], signal, (one) => one)],
])("a failed %s says what was asked, of which table, in which region", async (action, read) => {
  const { table } = scriptedTable(sdkError("ThrottlingException"));
  await expect(read(table)).rejects.toMatchObject({
    kind: "throttled",
    message: `table "ebb" in region xx-1: ${action} was throttled (ThrottlingException: said so)`,
  });
});
