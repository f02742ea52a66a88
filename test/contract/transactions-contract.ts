import {
  type AttributeValue,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { sharedServer, type StoreUnderTest } from "./shared-server";

/** DynamoDB cancels with the reason ValidationError, and DynamoDB Local refuses the whole request. */
const refusesTheItem = /^(TransactionCanceled|Validation)Exception$/;

type Item = Record<string, AttributeValue>;

/**
 * Transactions, and what a failed condition returns: ebb writes without them, and Terraform, boto3 and the AWS CLI
 * do not. On any server.
 */
export function transactionsContract(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`transactions of ${name}`, () => {
    const server = sharedServer(setUp);
    let client: DynamoDBClient;
    let pk: AttributeValue;
    beforeAll(async () => {
      const { endpoint, region, credentials } = server.client.config;
      const { href } = await endpoint();
      client = new DynamoDBClient({ endpoint: href, region, credentials, maxAttempts: 1 });
    });
    afterAll(() => client.destroy());
    beforeEach(() => (pk = { S: `CLUSTER#${server.newCluster()}` }));

    const keyOf = (sk: string): Item => ({ pk, sk: { S: sk } });
    const write = (TransactItems: TransactWriteItem[], more: object = {}): Promise<unknown> =>
      client.send(new TransactWriteItemsCommand({ TransactItems, ...more }));
    const refusal = (sent: Promise<unknown>) =>
      sent.then(
        () => undefined,
        (error: unknown) =>
          error as {
            readonly name: string;
            readonly message: string;
            CancellationReasons?: object[];
            readonly Item?: Item;
          },
      );
    const put = (sk: string, amount: number, more: object = {}) => ({
      Put: { TableName: server.table, Item: { ...keyOf(sk), amount: { N: String(amount) } }, ...more },
    });
    const update = (sk: string, more: object = {}) => ({
      Update: {
        ...{ TableName: server.table, Key: keyOf(sk), UpdateExpression: "ADD amount :one" },
        ...{ ExpressionAttributeValues: { ":one": { N: "1" } }, ...more },
      },
    });
    const remove = (sk: string, more: object = {}) => ({
      Delete: { TableName: server.table, Key: keyOf(sk), ...more },
    });
    const check = (sk: string, ConditionExpression: string, more: object = {}) => ({
      ConditionCheck: { TableName: server.table, Key: keyOf(sk), ConditionExpression, ...more },
    });
    const amountOf = async (sk: string) => (await server.rawItem(pk.S ?? "", sk))?.["amount"]?.N;
    const missing = { ConditionExpression: "attribute_not_exists(pk)" };

    test("writes, updates, deletes and checks together", async () => {
      await write([put("a", 1), put("b", 2), put("c", 3)]);
      await write([put("a", 10), update("b"), remove("c"), check("d", "attribute_not_exists(pk)"), update("e")]);
      expect(await Promise.all(["a", "b", "c", "d", "e"].map(amountOf))).toEqual([
        "10",
        "3",
        undefined,
        undefined,
        "1",
      ]);
    });

    test("a condition that does not hold cancels all, with a reason for each", async () => {
      await write([put("a", 1), put("d", 1)]);
      const refused = await refusal(
        write([
          ...[put("b", 2), put("a", 9, { ...missing, ReturnValuesOnConditionCheckFailure: "ALL_OLD" })],
          ...[check("d", "amount > :nine", { ExpressionAttributeValues: { ":nine": { N: "9" } } }), remove("c")],
        ]),
      );
      // AWS's own servers end it with a full stop, or not.
      const failed = expect.stringMatching(/^The conditional request failed/) as unknown;
      expect(refused).toMatchObject({
        name: "TransactionCanceledException",
        message: expect.stringContaining("[None, ConditionalCheckFailed, ConditionalCheckFailed, None]") as unknown,
        CancellationReasons: [
          { Code: "None" },
          {
            ...{ Code: "ConditionalCheckFailed", Message: failed },
            Item: { ...keyOf("a"), amount: { N: "1" } },
          },
          { Code: "ConditionalCheckFailed", Message: failed },
          { Code: "None" },
        ],
      });
      expect(await Promise.all(["a", "b"].map(amountOf))).toEqual(["1", undefined]);
    });

    test("what a check or an update is asked of an absent item", async () => {
      const refused = await refusal(write([check("none", "attribute_exists(pk)"), update("other")]));
      expect(refused?.CancellationReasons?.map((reason) => (reason as { Code: string }).Code)).toEqual([
        "ConditionalCheckFailed",
        "None",
      ]);
      expect(await amountOf("other")).toBeUndefined();
    });

    test("an update that its item cannot take cancels all", async () => {
      const text = { Put: { TableName: server.table, Item: { ...keyOf("text"), amount: { S: "many" } } } };
      await write([text]);
      const refused = await refusal(write([put("a", 1), update("text")]));
      expect(refused?.name).toMatch(refusesTheItem);
      expect(await amountOf("a")).toBeUndefined();
    });

    test("an index has all of it, or nothing", async () => {
      const sk = { S: `kind-${pk.S}` };
      const key = (name: string): Item => ({ pk: { S: `${pk.S}-${name}` }, sk });
      const inKind = async () => {
        const page = await client.send(
          new QueryCommand({
            ...{ TableName: server.table, IndexName: "by-kind", KeyConditionExpression: "sk = :sk" },
            ExpressionAttributeValues: { ":sk": sk },
          }),
        );
        return (page.Items ?? []).map((item) => item["pk"]?.S?.split("-").at(-1)).sort();
      };
      const { table: TableName } = server;
      await write(["a", "b"].map((name) => ({ Put: { TableName, Item: key(name) } })));
      expect(await inKind()).toEqual(["a", "b"]);
      const move = [{ Put: { TableName, Item: key("c") } }, { Delete: { TableName, Key: key("a") } }];
      await refusal(write([...move, { Put: { TableName, Item: key("b"), ...missing } }]));
      expect(await inKind()).toEqual(["a", "b"]);
      await write(move);
      expect(await inKind()).toEqual(["b", "c"]);
    });

    test("of transactions at the same moment, as many happen as say so", async () => {
      await write([put("counter", 0)]);
      const all = Array.from({ length: 20 }, (_, index) => [update("counter"), put(`made-${index}`, 1)]);
      const ended = await Promise.all(all.map((items) => refusal(write(items))));
      const made = ended.filter((error) => error === undefined).length;
      expect(made).toBeGreaterThan(0);
      expect(await amountOf("counter")).toBe(String(made));
      const amounts = await Promise.all(all.map((_, index) => amountOf(`made-${index}`)));
      expect(amounts.filter((amount) => amount !== undefined)).toHaveLength(made);
    });

    test("a client that asks again with its token changes nothing; another transaction with it is refused", async () => {
      const ClientRequestToken = `token-${process.pid}-${Date.now()}`;
      await write([update("a")], { ClientRequestToken });
      await write([update("a")], { ClientRequestToken });
      expect(await amountOf("a")).toBe("1");
      const refused = await refusal(write([update("b")], { ClientRequestToken }));
      expect(refused).toMatchObject({ name: "IdempotentParameterMismatchException" });
      expect(await amountOf("b")).toBeUndefined();
    });

    test.each<[string, () => TransactWriteItem[], string | RegExp]>([
      ["none", () => [], "ValidationException"],
      ["more than 100", () => Array.from({ length: 101 }, (_, index) => put(`${index}`, 1)), "ValidationException"],
      ["a check of nothing", () => [put("a", 1), check("b", "")], "ValidationException"],
      [
        "a key that is not the table's",
        () => [put("a", 1), { Delete: { TableName: server.table, Key: { pk } } }],
        refusesTheItem,
      ],
      ["one item twice", () => [put("a", 1), update("a")], "ValidationException"],
      [
        "an expression that is none",
        () => [put("a", 1), update("b", { UpdateExpression: "ADD" })],
        "ValidationException",
      ],
      [
        "a table that is not there",
        () => [put("a", 1), { Delete: { TableName: "none-such", Key: keyOf("b") } }],
        "ResourceNotFoundException",
      ],
    ])("refuses %s, and nothing is written", async (_case, items, error) => {
      expect(await refusal(write(items()))).toMatchObject({
        name: expect.stringMatching(error) as unknown,
      });
      expect(await amountOf("a")).toBeUndefined();
    });

    test("items are read together, in their order, and with what is projected", async () => {
      await write([put("a", 1), put("b", 2)]);
      const get = (sk: string, more: object = {}) => ({ Get: { TableName: server.table, Key: keyOf(sk), ...more } });
      const { Responses } = await client.send(
        new TransactGetItemsCommand({
          TransactItems: [get("b"), get("none"), get("a", { ProjectionExpression: "amount" })],
        }),
      );
      expect(Responses).toEqual([
        { Item: { ...keyOf("b"), amount: { N: "2" } } },
        {},
        { Item: { amount: { N: "1" } } },
      ]);
    });

    test("a failed condition of one write returns the item, if it is asked for it", async () => {
      await write([put("a", 1)]);
      const again = (more: object) =>
        refusal(client.send(new PutItemCommand({ TableName: server.table, Item: keyOf("a"), ...missing, ...more })));
      expect(await again({ ReturnValuesOnConditionCheckFailure: "ALL_OLD" })).toMatchObject({
        name: "ConditionalCheckFailedException",
        Item: { ...keyOf("a"), amount: { N: "1" } },
      });
      expect((await again({}))?.Item).toBeUndefined();
    });
  });
}
