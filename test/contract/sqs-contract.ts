import { openSqsClients } from "../../lib/aws/clients";
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  type CreateQueueCommandInput,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueueTagsCommand,
  type QueueDoesNotExist,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SetQueueAttributesCommand,
  SQSClient,
  type SQSServiceException,
  TagQueueCommand,
  UntagQueueCommand,
} from "@aws-sdk/client-sqs";

/** Where an SQS API answers. Without credentials, any do. */
export interface SqsUnderTest {
  readonly endpoint: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region?: string;
  tearDown(): Promise<void>;
}

/** Who asks: the SDK, as users' programs do, or the client that ebb's functions have, with the same operations. */
const clients = {
  "the SDK": (access: Access): Client => new SQSClient({ ...access, maxAttempts: 1 }),
  "the light client": (access: Access): Client => {
    const client = openSqsClients({ ...access, maxAttempts: 1 })();
    const send = ({
      constructor,
      input,
    }: {
      readonly constructor: { readonly name: string };
      readonly input: object;
    }) => {
      const operation = constructor.name.replace(/Command$/, "");
      return client.send({ operation, input, repeats: operation === "GetQueueAttributes" });
    };
    return { send: send as SQSClient["send"], destroy: () => client.destroy() };
  },
};

type Client = Pick<SQSClient, "send" | "destroy">;
type Access = Required<Pick<SqsUnderTest, "endpoint" | "credentials" | "region">>;

/** What ebb and its demo need from SQS. It runs on the simulation and on an emulator, with each client. */
export function sqsContract(name: string, setUp: () => Promise<SqsUnderTest>): void {
  for (const by of Object.keys(clients) as (keyof typeof clients)[]) runContract(name, by, setUp);
}

function runContract(name: string, by: keyof typeof clients, setUp: () => Promise<SqsUnderTest>): void {
  describe(`SQS contract: ${name}, asked by ${by}`, () => {
    let server: SqsUnderTest;
    let client: Client;
    let queues = 0;

    beforeAll(async () => {
      server = await setUp();
      client = clients[by]({
        endpoint: server.endpoint,
        region: server.region ?? "us-east-1",
        credentials: server.credentials ?? { accessKeyId: "testing", secretAccessKey: "testing" },
      });
    });
    afterAll(async () => {
      client.destroy();
      await server.tearDown();
    });

    const newQueue = async (
      attributes?: Record<string, string>,
      more: Partial<CreateQueueCommandInput> = {},
    ): Promise<string> => {
      queues += 1;
      const kind = attributes?.["FifoQueue"] === undefined ? "" : ".fifo";
      const QueueName = `contract-${process.pid}-${by === "the SDK" ? "sdk" : "light"}-${queues}${kind}`;
      const { QueueUrl } = await client.send(
        new CreateQueueCommand({ QueueName, ...(attributes && { Attributes: attributes }), ...more }),
      );
      return QueueUrl ?? "";
    };
    const counts = async (QueueUrl: string): Promise<[number, number, number]> => {
      const names = ["", "NotVisible", "Delayed"].map((kind) => `ApproximateNumberOfMessages${kind}` as const);
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: names as ["ApproximateNumberOfMessages"] }),
      );
      const [visible, inFlight, delayed] = names.map((each) => Number((Attributes as Record<string, string>)[each]));
      return [visible ?? NaN, inFlight ?? NaN, delayed ?? NaN];
    };
    const receive = async (QueueUrl: string, more: Partial<ReceiveMessageCommand["input"]> = {}) => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0, ...more }),
      );
      return Messages;
    };
    const send = (QueueUrl: string, bodies: readonly string[]) =>
      client.send(
        new SendMessageBatchCommand({
          QueueUrl,
          Entries: bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody })),
        }),
      );

    test("a new queue is empty and has an ARN, a URL and the default visibility timeout", async () => {
      const QueueUrl = await newQueue();
      expect(await counts(QueueUrl)).toEqual([0, 0, 0]);
      const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
      const queueName = QueueUrl.split("/").at(-1) ?? "";
      expect(Attributes?.["QueueArn"]).toMatch(new RegExp(`^arn:aws:sqs:[a-z0-9-]+:\\d{12}:${queueName}$`));
      expect(Attributes?.["VisibilityTimeout"]).toBe("30");
      const found = await client.send(new GetQueueUrlCommand({ QueueName: queueName }));
      expect(found.QueueUrl).toBe(QueueUrl);
      const listed = await client.send(new ListQueuesCommand({ QueueNamePrefix: queueName }));
      expect(listed.QueueUrls).toContain(QueueUrl);
    });

    test("a list by prefix finds each such queue once, page by page, and no other", async () => {
      const created = [await newQueue(), await newQueue(), await newQueue()];
      const nameOf = (url: string) => url.split("/").at(-1) ?? "";
      const prefix = nameOf(created[0] ?? "").replace(/\d+$/, "");
      const listed: string[] = [];
      let NextToken: string | undefined;
      do {
        const page = await client.send(
          new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: 2, ...(NextToken && { NextToken }) }),
        );
        listed.push(...(page.QueueUrls ?? []));
        NextToken = page.NextToken;
      } while (NextToken);
      expect(listed).toEqual(expect.arrayContaining(created));
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed.filter((url) => !nameOf(url).startsWith(prefix))).toEqual([]);
      const none = await client.send(new ListQueuesCommand({ QueueNamePrefix: `${prefix}none`, MaxResults: 2 }));
      expect([none.QueueUrls ?? [], none.NextToken]).toEqual([[], undefined]);
    });

    test("the queues of a list can be read by their URLs", async () => {
      const QueueUrl = await newQueue();
      await send(QueueUrl, ["a", "b"]);
      const { QueueUrls = [] } = await client.send(
        new ListQueuesCommand({ QueueNamePrefix: QueueUrl.split("/").at(-1) ?? "", MaxResults: 101 }),
      );
      expect(await counts(QueueUrls.find((url) => url === QueueUrl) ?? "")).toEqual([2, 0, 0]);
    });

    test("messages go from visible to in flight to gone", async () => {
      const QueueUrl = await newQueue();
      const sent = await send(QueueUrl, ["a", "b", "ü – c"]);
      expect(sent.Successful?.map(({ Id }) => Id)).toEqual(["0", "1", "2"]);
      expect(await counts(QueueUrl)).toEqual([3, 0, 0]);
      const received = await receive(QueueUrl);
      expect(received.map(({ Body }) => Body).sort()).toEqual(["a", "b", "ü – c"]);
      expect(await counts(QueueUrl)).toEqual([0, 3, 0]);
      expect(await receive(QueueUrl)).toEqual([]);
      const [first, ...others] = received;
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
      expect(await counts(QueueUrl)).toEqual([0, 2, 0]);
      const Entries = others.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      const deleted = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      expect(deleted.Successful).toHaveLength(2);
      expect(await counts(QueueUrl)).toEqual([0, 0, 0]);
    });

    test("a delayed message counts as delayed and is not received", async () => {
      const QueueUrl = await newQueue();
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "later", DelaySeconds: 900 }));
      expect(await counts(QueueUrl)).toEqual([0, 0, 1]);
      expect(await receive(QueueUrl)).toEqual([]);
    });

    test("a queue's own delay holds for messages that name none", async () => {
      const QueueUrl = await newQueue({ DelaySeconds: "600" });
      await send(QueueUrl, ["later"]);
      expect(await counts(QueueUrl)).toEqual([0, 0, 1]);
    });

    test("a visibility of zero gives a message back, and its receive count goes up", async () => {
      const QueueUrl = await newQueue();
      await send(QueueUrl, ["again"]);
      const [message] = await receive(QueueUrl);
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 }),
      );
      expect(await counts(QueueUrl)).toEqual([1, 0, 0]);
      const [again] = await receive(QueueUrl, { MessageSystemAttributeNames: ["ApproximateReceiveCount"] });
      expect(again?.MessageId).toBe(message?.MessageId);
      expect(again?.Attributes?.["ApproximateReceiveCount"]).toBe("2");
    });

    test("message attributes come back, with the digest that the SDK expects", async () => {
      const QueueUrl = await newQueue();
      const MessageAttributes = {
        tenant: { DataType: "String", StringValue: "blue" },
        attempts: { DataType: "Number", StringValue: "3" },
        raw: { DataType: "Binary", BinaryValue: binaryInput(by) },
      };
      const sent = await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "x", MessageAttributes }));
      const [message] = await receive(QueueUrl, { MessageAttributeNames: ["All"] });
      expect(message?.MessageAttributes?.["tenant"]?.StringValue).toBe("blue");
      const binary: Uint8Array | string = message?.MessageAttributes?.["raw"]?.BinaryValue ?? "";
      // The light client leaves it as JSON has it: none of its operations reads binary.
      expect([...(typeof binary === "string" ? Buffer.from(binary, "base64") : binary)]).toEqual([0, 1, 254]);
      expect(sent.MD5OfMessageAttributes).toBe("6ee42ed33e873185393b8b38d797c0e5");
      expect(message?.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes);
    });

    test("a long poll answers as soon as a message comes", async () => {
      const QueueUrl = await newQueue();
      const waiting = receive(QueueUrl, { WaitTimeSeconds: 20 });
      await send(QueueUrl, ["here"]);
      expect((await waiting).map(({ Body }) => Body)).toEqual(["here"]);
    });

    test("a purge empties the queue; changed attributes are answered", async () => {
      const QueueUrl = await newQueue();
      await send(QueueUrl, ["a", "b"]);
      await client.send(new PurgeQueueCommand({ QueueUrl }));
      expect(await counts(QueueUrl)).toEqual([0, 0, 0]);
      await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: "7" } }));
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["VisibilityTimeout"] }),
      );
      expect(Attributes).toEqual({ VisibilityTimeout: "7" });
    });

    test.each([
      ["GetQueueUrl", () => new GetQueueUrlCommand({ QueueName: "no-such-queue" })],
      [
        "GetQueueAttributes",
        () =>
          new GetQueueAttributesCommand({
            QueueUrl: `${server.endpoint}/000000000000/no-such-queue`,
            AttributeNames: ["ApproximateNumberOfMessages"],
          }),
      ],
    ])("%s of a queue that is not there fails by type", async (_action, command) => {
      const failure: unknown = await client.send(command() as GetQueueUrlCommand).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: "QueueDoesNotExist", $fault: "client" });
      expect((failure as QueueDoesNotExist).$metadata.httpStatusCode).toBe(400);
    });

    test("a deleted queue is not there any more", async () => {
      const QueueUrl = await newQueue();
      await client.send(new DeleteQueueCommand({ QueueUrl }));
      const failure: unknown = await client
        .send(new SendMessageCommand({ QueueUrl, MessageBody: "x" }))
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: "QueueDoesNotExist", $fault: "client" });
    });

    describe("a FIFO queue", () => {
      const fifo = { FifoQueue: "true", ContentBasedDeduplication: "true" };
      const sendTo = (QueueUrl: string, MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
        client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: "a", ...more }));
      const bodies = async (QueueUrl: string, more: Partial<ReceiveMessageCommandInput> = {}) =>
        (await receive(QueueUrl, more)).map(({ Body }) => Body);
      const refusal = (sent: Promise<unknown>) =>
        sent.then(
          () => undefined,
          (error: unknown) => (error as SQSServiceException).name,
        );

      test("delivers each group in order, and nothing of a group that has a message in flight", async () => {
        const QueueUrl = await newQueue(fifo);
        for (const body of ["a1", "b1", "a2", "b2"]) await sendTo(QueueUrl, body, { MessageGroupId: body.slice(0, 1) });
        const [first] = await receive(QueueUrl, { MaxNumberOfMessages: 1 });
        expect(first?.Body).toBe("a1");
        expect(await bodies(QueueUrl)).toEqual(["b1", "b2"]);
        expect(await bodies(QueueUrl)).toEqual([]);
        await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
        expect(await bodies(QueueUrl)).toEqual(["a2"]);
      });

      test("a message that comes back is delivered before the later ones of its group", async () => {
        const QueueUrl = await newQueue(fifo);
        await sendTo(QueueUrl, "1");
        await sendTo(QueueUrl, "2");
        const [first] = await receive(QueueUrl, { MaxNumberOfMessages: 1 });
        const { ReceiptHandle } = first ?? {};
        await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
        expect(await bodies(QueueUrl)).toEqual(["1", "2"]);
      });

      test("equal messages within five minutes are one", async () => {
        const QueueUrl = await newQueue(fifo);
        await sendTo(QueueUrl, "same");
        await sendTo(QueueUrl, "same");
        expect(await bodies(QueueUrl)).toEqual(["same"]);
      });

      test("the ID decides, and not the body", async () => {
        const QueueUrl = await newQueue(fifo);
        await sendTo(QueueUrl, "x", { MessageDeduplicationId: "1" });
        await sendTo(QueueUrl, "y", { MessageDeduplicationId: "1" });
        await sendTo(QueueUrl, "x", { MessageDeduplicationId: "2" });
        expect(await bodies(QueueUrl)).toEqual(["x", "x"]);
      });

      test("its messages say their group and their ID", async () => {
        const QueueUrl = await newQueue(fifo);
        await sendTo(QueueUrl, "1");
        await sendTo(QueueUrl, "2", { MessageDeduplicationId: "two" });
        const received = await receive(QueueUrl, { MessageSystemAttributeNames: ["All"] });
        expect(received.map(({ Attributes }) => Attributes?.MessageGroupId)).toEqual(["a", "a"]);
        expect(received[1]?.Attributes?.MessageDeduplicationId).toBe("two");
      });

      test("its attributes say that it is one", async () => {
        const QueueUrl = await newQueue(fifo);
        const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
        expect(Attributes).toMatchObject(fifo);
        expect(Attributes?.["QueueArn"]).toMatch(/\.fifo$/);
      });

      test("a batch has its groups", async () => {
        const QueueUrl = await newQueue(fifo);
        const Entries = ["1", "2", "3"].map((Id) => ({ Id, MessageBody: Id, MessageGroupId: "a" }));
        await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
        expect(await bodies(QueueUrl)).toEqual(["1", "2", "3"]);
      });

      test("refuses a message without a group, and one without an ID if nothing makes it", async () => {
        const QueueUrl = await newQueue({ FifoQueue: "true" });
        const ungrouped = client.send(new SendMessageCommand({ QueueUrl, MessageBody: "x" }));
        expect(await refusal(ungrouped)).toMatch(/MissingParameter|MissingRequiredParameter/);
        expect(await refusal(sendTo(QueueUrl, "x"))).toMatch(/InvalidParameterValue/);
        await sendTo(QueueUrl, "x", { MessageDeduplicationId: "1" });
        expect(await bodies(QueueUrl)).toEqual(["x"]);
      });
    });

    test("a queue has tags, from its creation on", async () => {
      const QueueUrl = await newQueue(undefined, { tags: { team: "blue" } });
      const tags = async () => (await client.send(new ListQueueTagsCommand({ QueueUrl }))).Tags ?? {};
      await client.send(new TagQueueCommand({ QueueUrl, Tags: { stage: "test", team: "red" } }));
      expect(await tags()).toEqual({ stage: "test", team: "red" });
      await client.send(new UntagQueueCommand({ QueueUrl, TagKeys: ["stage", "none"] }));
      expect(await tags()).toEqual({ team: "red" });
    });

    test("a message that was received too often goes to the dead-letter queue", async () => {
      const target = await newQueue();
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: target, AttributeNames: ["QueueArn"] }),
      );
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 2 });
      const QueueUrl = await newQueue({ RedrivePolicy });
      const sources = await client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: target }));
      expect(sources.queueUrls).toEqual([QueueUrl]);
      await send(QueueUrl, ["poison"]);
      for (const times of [1, 1, 0]) expect(await receive(QueueUrl, { VisibilityTimeout: 0 })).toHaveLength(times);
      expect((await receive(target)).map(({ Body }) => Body)).toEqual(["poison"]);
      expect(await counts(QueueUrl)).toEqual([0, 0, 0]);
    });

    test("a batch of more than ten is refused", async () => {
      const QueueUrl = await newQueue();
      const failure: unknown = await send(QueueUrl, Array(11).fill("x") as string[]).catch((error: unknown) => error);
      expect((failure as SQSServiceException).name).toContain("TooManyEntriesInBatchRequest");
      expect(await counts(QueueUrl)).toEqual([0, 0, 0]);
    });
  });
}

/** Binary as each client takes it. */
function binaryInput(by: keyof typeof clients): Uint8Array {
  const bytes = Buffer.from([0, 1, 254]);
  return by === "the SDK" ? bytes : (bytes.toString("base64") as unknown as Uint8Array);
}
