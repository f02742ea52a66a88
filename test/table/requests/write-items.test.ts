import { deleteItems } from "../../../lib/table/write-items";
import { scriptedTable, sdkError, withoutWaiting } from "./scripted-table";

const { signal } = new AbortController();
const waits = withoutWaiting();
const items = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({
    pk: { S: "p" },
    sk: { S: `s${from + index}` },
    more: { N: "1" },
  }));
const requests = (from: number, to: number) =>
  items(from, to).map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
const asked = (from: number, to: number) => ({
  action: "BatchWriteItem",
  input: { RequestItems: { ebb: requests(from, to) } },
  signal,
});
const left = (from: number, to: number) => ({ UnprocessedItems: { ebb: requests(from, to) } });

test.each([
  [0, []],
  [1, [asked(0, 1)]],
  [25, [asked(0, 25)]],
  [26, [asked(0, 25), asked(25, 26)]],
  [50, [asked(0, 25), asked(25, 50)]],
])("%d items, 25 a call, by their keys alone", async (count, calls) => {
  const { table, sent } = scriptedTable();
  await deleteItems(table, items(0, count), signal);
  expect(sent).toEqual(calls);
  expect(waits).toEqual([]);
});

test("an item without a key is left to the service, which refuses it", async () => {
  const { table, sent } = scriptedTable();
  await deleteItems(table, [{}], signal);
  expect(sent).toMatchObject([{ input: { RequestItems: { ebb: [{ DeleteRequest: { Key: {} } }] } } }]);
});

test("what the service leaves out is asked again, after a wait", async () => {
  const { table, sent } = scriptedTable(left(1, 3), { UnprocessedItems: {} }, {});
  await deleteItems(table, items(0, 3), signal);
  expect(sent).toEqual([asked(0, 3), asked(1, 3)]);
  expect(waits).toEqual([{ ms: 50, signal }]);
});

test("six times at most, and the fault says where", async () => {
  const { table, sent } = scriptedTable(...Array.from({ length: 9 }, () => left(1, 3)));
  await expect(deleteItems(table, items(0, 3), signal)).rejects.toMatchObject({
    kind: "throttled",
    message: 'table "ebb" in region xx-1: BatchWriteItem: 2 of 3 deletions are still unprocessed after 6 attempts',
  });
  expect(sent).toHaveLength(6);
  expect(waits.map(({ ms }) => ms)).toEqual([50, 100, 200, 400, 800]);
});

test("a wait ends with the caller's signal, and a refusal is a fault", async () => {
  await expect(deleteItems(scriptedTable(left(0, 1)).table, items(0, 1), AbortSignal.abort())).rejects.toMatchObject({
    kind: "timeout",
  });
  const { table } = scriptedTable(sdkError("AccessDeniedException"));
  await expect(deleteItems(table, items(0, 1), signal)).rejects.toMatchObject({
    kind: "forbidden",
    message: expect.stringContaining("dynamodb:BatchWriteItem") as string,
  });
});
