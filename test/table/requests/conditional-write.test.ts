import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { checkedSize, deleteIf, putIf } from "../../../lib/table/conditional-write";
import { itemBytes, maxItemBytes } from "../../../lib/table/items/attributes";
import { scriptedTable, sdkError } from "./scripted-table";

const { signal } = new AbortController();
const key = { pk: "CLUSTER#prod", sk: "STATE#shop/orders" };
const Key = { pk: { S: key.pk }, sk: { S: key.sk } };
const item = { ...Key, version: { N: "3" } };
const other = { ...item, writeToken: { S: "another writer's" } };
const returned = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };

const refused = (Item?: object, attempts = 1) =>
  new ConditionalCheckFailedException({
    message: "The conditional request failed",
    $metadata: { attempts },
    ...(Item && { Item: Item as never }),
  });

const put = (...answers: readonly object[]) => {
  const { table, sent } = scriptedTable(...answers);
  return { sent, outcome: putIf(table, item, "nothing", signal) };
};
const remove = (...answers: readonly object[]) => {
  const { table, sent } = scriptedTable(...answers);
  return { sent, outcome: deleteIf(table, key, { version: 3 }, signal) };
};
const actions = ({ sent }: { readonly sent: readonly { readonly action: string }[] }) =>
  sent.map(({ action }) => action);

describe("the request", () => {
  const wrote = async (expected: Parameters<typeof putIf>[2]) => {
    const { table, sent } = scriptedTable();
    expect(await putIf(table, item, expected, signal)).toEqual({ done: true });
    const [{ action, input, signal: within }] = sent as [(typeof sent)[0]];
    expect([action, within]).toEqual(["PutItem", signal]);
    return input as { Item: Record<string, { S: string }> };
  };

  test("where nothing may be", async () => {
    const { Item, ...input } = await wrote("nothing");
    expect(Item).toEqual({ ...item, writeToken: { S: expect.stringMatching(/^[0-9a-f-]{36}$/) as string } });
    expect(input).toEqual({
      TableName: "ebb",
      ...returned,
      ConditionExpression: "attribute_not_exists(#pk)",
      ExpressionAttributeNames: { "#pk": "pk" },
    });
  });

  test("each write has a token of its own", async () => {
    expect((await wrote("nothing")).Item["writeToken"]).not.toEqual((await wrote("nothing")).Item["writeToken"]);
  });

  test("on top of a version", async () => {
    expect(await wrote({ version: 2 })).toMatchObject({
      ...returned,
      ConditionExpression: "#version = :version",
      ExpressionAttributeNames: { "#version": "version" },
      ExpressionAttributeValues: { ":version": { N: "2" } },
    });
  });

  test("on top of exactly this item: what it has is equal, and what an entry may gain is absent", async () => {
    const stored = { ...Key, spec: { M: {} }, note: { S: "x" } };
    expect(await wrote({ stored })).toMatchObject({
      ...returned,
      ConditionExpression:
        "attribute_exists(#n0) AND #n1 = :v0 AND #n2 = :v1 AND attribute_not_exists(#n3) AND " +
        "attribute_not_exists(#n4) AND attribute_not_exists(#n5) AND attribute_not_exists(#n6) AND " +
        "attribute_not_exists(#n7) AND attribute_not_exists(#n8)",
      ExpressionAttributeNames: {
        ...{ "#n0": "pk", "#n1": "spec", "#n2": "note", "#n3": "apiVersion", "#n4": "kind", "#n5": "metadata" },
        ...{ "#n6": "status", "#n7": "expiresAt", "#n8": "writeToken" },
      },
      ExpressionAttributeValues: { ":v0": { M: {} }, ":v1": { S: "x" } },
    });
  });

  test("on top of an item that has only its key: no values, which the service refuses when empty", async () => {
    expect(await wrote({ stored: Key })).not.toHaveProperty("ExpressionAttributeValues");
  });

  test("a deletion", async () => {
    const { sent, outcome } = remove();
    expect(await outcome).toEqual({ done: true });
    const condition = {
      ConditionExpression: "#version = :version",
      ExpressionAttributeNames: { "#version": "version" },
      ExpressionAttributeValues: { ":version": { N: "3" } },
    };
    expect(sent).toEqual([
      { action: "DeleteItem", input: { TableName: "ebb", Key, ...returned, ...condition }, signal },
    ]);
    const unlimited = scriptedTable();
    expect(await deleteIf(unlimited.table, key, { version: 3 })).toEqual({ done: true });
    expect(unlimited.sent).toMatchObject([{ signal: undefined }]);
  });

  test("after the time limit nothing is sent", async () => {
    const reason = new Error("the slot is over");
    const aborted = AbortSignal.abort(reason);
    const expected = {
      kind: "timeout",
      message: "CLUSTER#prod STATE#shop/orders: not written: the time limit passed first",
      cause: reason,
    };
    const { table, sent } = scriptedTable();
    await expect(putIf(table, item, "nothing", aborted)).rejects.toMatchObject(expected);
    await expect(deleteIf(table, key, { version: 3 }, aborted)).rejects.toMatchObject(expected);
    expect(sent).toEqual([]);
  });
});

describe("another item is there", () => {
  test("the service returns it", async () => {
    const call = put(refused(other));
    expect(await call.outcome).toEqual({ done: false, stored: other });
    expect(actions(call)).toEqual(["PutItem"]);
  });

  test("after a retry, it may have been written over ours", async () => {
    expect(await put(refused(other, 2)).outcome).toEqual({ done: false, stored: other, mayBeApplied: true });
  });

  test("a server that does not return it is asked", async () => {
    const call = put(refused(), { Item: other });
    expect(await call.outcome).toEqual({ done: false, stored: other });
    expect(actions(call)).toEqual(["PutItem", "GetItem"]);
    expect(call.sent[1]).toEqual({ action: "GetItem", input: { TableName: "ebb", Key, ConsistentRead: true }, signal });
  });

  test("nothing is there any more", async () => {
    expect(await put(refused(), {}).outcome).toEqual({ done: false, stored: undefined });
  });

  test("it is this write's own: an earlier attempt was applied", async () => {
    const { table, sent } = scriptedTable();
    const { client } = table;
    const far = {
      ...client,
      config: client.config,
      send(command: { input: { Item?: object } }) {
        void client.send(command as never);
        return Promise.reject(refused(command.input.Item, 2));
      },
    };
    expect(await putIf({ ...table, client: far as never }, item, { version: 2 }, signal)).toEqual({ done: true });
    expect(sent).toHaveLength(1);
  });
});

describe("a deletion that is refused", () => {
  test.each<[string, object[], object]>([
    ["the item has another version", [refused(other)], { done: false, stored: other }],
    ["it is gone at the first attempt: another writer was first", [refused(), {}], { done: false, stored: undefined }],
    ["it is gone after a retry: it was this one", [refused(undefined, 2), {}], { done: true }],
    ["it is there after a retry", [refused(other, 2)], { done: false, stored: other }],
    ["no answer came, and it is gone", [sdkError("TimeoutError"), {}], { done: true }],
  ])("%s", async (_name, answers, expected) => {
    expect(await remove(...answers).outcome).toEqual(expected);
  });

  test.each([
    ["no answer came, and it is there", sdkError("TimeoutError"), "lost"],
    ["it is throttled after a retry, and it is there", sdkError("ThrottlingException", { attempts: 3 }), "throttled"],
  ])("%s", async (_name, error, kind) => {
    await expect(remove(error, { Item: other }).outcome).rejects.toMatchObject({ kind });
  });
});

describe("a write that fails", () => {
  const lost = {
    kind: "lost",
    message: expect.stringMatching(
      /^CLUSTER#prod STATE#shop\/orders: not known whether the write was applied: table "ebb" in region xx-1: PutItem /,
    ) as string,
  };

  test.each<[string, Error, string]>([
    ["refused at once", sdkError("AccessDeniedException"), "forbidden"],
    ["throttled at once", sdkError("ThrottlingException"), "throttled"],
    ["without a connection", sdkError("Error", { code: "ECONNREFUSED" }), "unreachable"],
    [
      "an error that does not say how often it was tried",
      Object.assign(new Error("x"), { name: "SlowDown" }),
      "throttled",
    ],
  ])("%s: certainly not applied, and nothing is asked", async (_name, error, kind) => {
    const call = put(error, { Item: other });
    await expect(call.outcome).rejects.toMatchObject({ kind, cause: error });
    expect(actions(call)).toEqual(["PutItem"]);
  });

  test.each<[string, Error]>([
    ["no answer in time", sdkError("TimeoutError")],
    ["an answer that is none", Object.assign(sdkError("SyntaxError"), { $metadata: { httpStatusCode: 200 } })],
    ["an answer without an end", sdkError("AnswerTooLarge")],
    ["a connection that broke", sdkError("TimeoutError", { code: "ECONNRESET" })],
  ])("%s: the item is read, and the write may still arrive", async (_name, error) => {
    const call = put(error, { Item: other });
    await expect(call.outcome).rejects.toMatchObject({ ...lost, cause: error });
    expect(actions(call)).toEqual(["PutItem", "GetItem"]);
  });

  test("refused after a retry: another attempt was not applied either, as the item shows", async () => {
    const error = sdkError("ThrottlingException", { attempts: 2 });
    const call = put(error, { Item: other });
    await expect(call.outcome).rejects.toMatchObject({ kind: "throttled", cause: error });
    expect(actions(call)).toEqual(["PutItem", "GetItem"]);
  });

  test("refused after a retry, and the item cannot be read", async () => {
    const error = sdkError("ThrottlingException", { attempts: 2 });
    await expect(put(error, sdkError("TimeoutError")).outcome).rejects.toMatchObject({ ...lost, cause: error });
  });

  test("a defect stays visible: of the write, and of the look after it", async () => {
    const defect = new TypeError("x is not a function");
    const write = put(defect);
    await expect(write.outcome).rejects.toBe(defect);
    expect(actions(write)).toEqual(["PutItem"]);
    await expect(put(sdkError("TimeoutError"), defect).outcome).rejects.toBe(defect);
  });
});

describe("an item's size", () => {
  const ofBytes = (bytes: number) => ({
    ...Key,
    text: { S: "x".repeat(bytes - itemBytes({ ...Key, text: { S: "" } })) },
  });

  test("of the limit, it is sent", () => {
    const largest = ofBytes(maxItemBytes);
    expect(checkedSize(largest)).toBe(largest);
  });

  test("above it, it is refused with both sizes", () => {
    expect(() => checkedSize(ofBytes(maxItemBytes + 1))).toThrow(
      "CLUSTER#prod STATE#shop/orders: expected at most the 409600 bytes that an item may have, got 409601: make its texts shorter",
    );
  });
});
