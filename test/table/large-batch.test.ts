import type { BatchGetItemCommandInput } from "@aws-sdk/client-dynamodb";
import type { DynamoClient } from "../../lib/aws/http/dynamodb-commands";
import { AnswerTooLarge } from "../../lib/aws/http/answer-reader";
import { getItemsAs } from "../../lib/table/get-items";

const keys = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ pk: { S: `p${index}` }, sk: { S: "s" } }));

/** Answers up to `most` items at a time, and is too large beyond. */
function tableWith(most: number) {
  const asked: number[] = [];
  const send = ({ input }: { readonly input: BatchGetItemCommandInput }) => {
    const { Keys = [] } = input.RequestItems?.["ebb"] ?? {};
    asked.push(Keys.length);
    if (Keys.length > most) return Promise.reject(new AnswerTooLarge("9 bytes"));
    return Promise.resolve({ Responses: { ebb: Keys } });
  };
  const client = { send, config: { region: () => Promise.resolve("eu-west-1") } } as unknown as DynamoClient;
  return { asked, table: { client, name: "ebb" } };
}

const signal = new AbortController().signal;

test("a batch of large items is asked for in halves, until each half fits", async () => {
  const { asked, table } = tableWith(30);
  const items = await getItemsAs(table, keys(100), signal, ({ pk }) => pk?.S);
  expect(items).toEqual(keys(100).map(({ pk }) => pk.S));
  expect(asked).toEqual([100, 50, 25, 25, 50, 25, 25]);
});

test("an item that is too large by itself is an error", async () => {
  const { asked, table } = tableWith(0);
  await expect(getItemsAs(table, keys(2), signal, (item) => item)).rejects.toMatchObject({ kind: "badAnswer" });
  expect(asked).toEqual([2, 1]);
});
