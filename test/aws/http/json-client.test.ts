import type { RequestListener } from "node:http";
import { GetQueueAttributesCommand as SdkCommand, SQSClient } from "@aws-sdk/client-sqs";
import { Sha256 as PlainSha256 } from "@aws-crypto/sha256-js";
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand as SdkGetItemCommand,
  PutItemCommand as SdkPutItemCommand,
} from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { faultOf, sdkErrorOf } from "../../../lib/aws/fault";
import { openSqsClients } from "../../../lib/aws/clients";
import { GetItemCommand, PutItemCommand } from "../../../lib/aws/http/dynamodb-commands";
import { GetQueueAttributesCommand } from "../../../lib/aws/http/sqs-commands";
import type { Post, PostAnswer } from "../../../lib/aws/http/post";
import { Sha256 } from "../../../lib/aws/sha256";
import { dynamoClient } from "../../../lib/table/client";
import { loopbackServers } from "../../backends/loopback";

/** The light client beside the SDK's, on the same server: the same requests, outcomes and numbers of attempts. */
const servers = loopbackServers();
const credentials = { accessKeyId: "AKID", secretAccessKey: "s3cr3t", sessionToken: "token" };
const region = "eu-west-1";
const input = { QueueUrl: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders", AttributeNames: ["All" as const] };
const call = { action: "sqs:GetQueueAttributes", description: "queue" };

interface Seen {
  readonly outcome: unknown;
  readonly requests: number;
}

const ways = {
  "the SDK": (endpoint: string) => {
    const client = new SQSClient({ endpoint, region, credentials, maxAttempts: 2, useQueueUrlAsEndpoint: false });
    return (abortSignal?: AbortSignal) => client.send(new SdkCommand(input), abortSignal && { abortSignal });
  },
  "the light client": (endpoint: string) => {
    const client = openSqsClients({ endpoint, region, credentials })();
    return (abortSignal?: AbortSignal) =>
      client.send(new GetQueueAttributesCommand(input), abortSignal && { abortSignal });
  },
} as const;

async function seenBy(way: keyof typeof ways, answer: RequestListener): Promise<Seen> {
  let requests = 0;
  const { url } = await servers.start((request, response) => {
    requests += 1;
    request.resume().on("end", () => answer(request, response));
  });
  const outcome = await ways[way](url)().then(
    ({ Attributes }) => ({ Attributes }),
    (error: unknown) => {
      const { kind, message, status, retryable, requestId } = faultOf(error, call);
      return { kind, message, status, retryable, requestId, attempts: sdkErrorOf(error).$metadata?.attempts };
    },
  );
  return { outcome, requests };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response
      .writeHead(status, { "content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "abc-1", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));

const refused = (name: string, status = 400) => json(status, { __type: `com.amazonaws.sqs#${name}`, message: "no" });

test.each<[string, RequestListener]>([
  ["attributes", json(200, { Attributes: { ApproximateNumberOfMessages: "3" } })],
  ["nothing", json(200, "")],
  ["a web page", json(200, "<html>")],
  ["a web page as an error", json(503, "<html>")],
  ["an error without a body", json(400, "")],
  ["an error without a name", json(403, {})],
  ["a name in the header", json(400, { Message: "no" }, { "x-amzn-errortype": "AccessDenied:http://x" })],
  ["a name in code", json(400, { code: "OverLimit", message: "no" })],
  ["a redirect", json(302, {}, { location: "http://127.0.0.1:1/" })],
  ["429", json(429, { message: "slow" })],
  ["a reset", (request) => void request.socket.destroy()],
  [
    "no such queue, as the old protocol names it",
    json(
      400,
      { __type: "com.amazonaws.sqs#QueueDoesNotExist", message: "no" },
      { "x-amzn-query-error": "AWS.SimpleQueueService.NonExistentQueue;Sender" },
    ),
  ],
  ...[
    "QueueDoesNotExist",
    "AccessDenied",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "SignatureDoesNotMatch",
  ].map((name): [string, RequestListener] => [name, refused(name)]),
  ...["RequestThrottled", "ThrottlingException", "KmsThrottled", "RequestTimeout", "Unheard"].map(
    (name): [string, RequestListener] => [name, refused(name)],
  ),
  ...[400, 403, 404, 413, 500, 501, 502, 503, 504, 507].map((status): [string, RequestListener] => [
    `HTTP ${status}`,
    refused("InternalFailure", status),
  ]),
])("%s means the same to both", async (_, answer) => {
  const bySdk = await seenBy("the SDK", answer);
  expect(await seenBy("the light client", answer)).toEqual(bySdk);
});

test("a refusal has the request's id, which AWS' support asks for", async () => {
  const { outcome } = await seenBy("the light client", refused("AccessDenied", 403));
  expect(outcome).toMatchObject({ kind: "forbidden", requestId: "abc-1" });
});

test.each(Object.keys(ways) as (keyof typeof ways)[])(
  "%s signs with the service's clock, and tries again",
  async (way) => {
    const dates: string[] = [];
    const skewed: RequestListener = (request, response) => {
      const later = new Date(Date.now() + 3_600_000);
      dates.push(String(request.headers["x-amz-date"]));
      const isLate = dates.length === 1;
      json(isLate ? 403 : 200, isLate ? { __type: "RequestExpired" } : {}, { date: later.toUTCString() })(
        request,
        response,
      );
    };
    expect(await seenBy(way, skewed)).toMatchObject({ outcome: {}, requests: 2 });
    const hourOf = (date = "") => Number(date.slice(6, 8)) * 24 + Number(date.slice(9, 11));
    expect(hourOf(dates[1]) - hourOf(dates[0])).toBe(1);
  },
);

test.each(Object.keys(ways) as (keyof typeof ways)[])("%s ends at once when its signal fires", async (way) => {
  const caller = new AbortController();
  const { url } = await servers.start(() => caller.abort(new Error("late")));
  const asked = ways[way](url)(caller.signal);
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  await expect(ways[way](url)(caller.signal)).rejects.toMatchObject({ name: "AbortError" });
});

test("the request is the SDK's, but for what names the client", async () => {
  const sent: Record<string, unknown>[] = [];
  const { url } = await servers.start((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      const { "x-amz-target": target, "content-type": type, "x-amzn-query-mode": mode } = headers;
      const token = headers["x-amz-security-token"];
      const scope = /Credential=[^,]+\/\d{8}(\/[^,]+),/.exec(headers.authorization ?? "")?.[1];
      sent.push({ method, path, target, type, mode, token, scope, body: JSON.parse(body) as unknown });
      json(200, {})(request, response);
    });
  });
  for (const way of Object.values(ways)) await way(url)();
  expect(sent[1]).toEqual(sent[0]);
  expect(sent[0]).toMatchObject({ path: "/", scope: "/eu-west-1/sqs/aws4_request", token: "token" });
});

describe("credentials", () => {
  const ok: PostAnswer = { status: 200, headers: {}, body: Buffer.from("{}") };
  const expired: PostAnswer = { ...ok, status: 403, body: Buffer.from(`{"__type":"ExpiredTokenException"}`) };
  const ask = (post: Post, provider: (options?: object) => Promise<typeof credentials & { expiration?: Date }>) => {
    const client = openSqsClients({ endpoint: "http://localhost", region, credentials: provider, post })();
    return () => client.send(new GetQueueAttributesCommand(input));
  };
  const keyOf = (headers: Readonly<Record<string, string>>) =>
    /Credential=([^/]+)/.exec(headers["authorization"] ?? "")?.[1] ?? "";

  test("that AWS says have expired are fetched again, once for all requests", async () => {
    let fetched = 0;
    const provider = () => Promise.resolve({ ...credentials, accessKeyId: `KEY${++fetched}` });
    const post: Post = async ({ headers }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return keyOf(headers) === "KEY1" ? expired : ok;
    };
    const one = ask(post, provider);
    await Promise.all(Array.from({ length: 100 }, () => one()));
    expect(fetched).toBe(2);
  });

  test("that stay the same after they expired are not tried again", async () => {
    let posts = 0;
    const provider = jest.fn(() => Promise.resolve(credentials));
    const one = ask(() => Promise.resolve((posts++, expired)), provider);
    await expect(one()).rejects.toMatchObject({ name: "ExpiredTokenException" });
    expect([posts, provider.mock.calls.length]).toEqual([1, 2]);
  });

  test("that expire again at once are not fetched forever", async () => {
    let fetched = 0;
    const provider = () => Promise.resolve({ ...credentials, accessKeyId: `KEY${++fetched}` });
    await expect(ask(() => Promise.resolve(expired), provider)()).rejects.toMatchObject({
      name: "ExpiredTokenException",
    });
    expect(fetched).toBe(2);
  });

  test("are renewed 5 minutes before they end", async () => {
    let fetched = 0;
    const left = [299_000, 3_600_000];
    const provider = () =>
      Promise.resolve({ ...credentials, expiration: new Date(Date.now() + (left[fetched++] ?? 0)) });
    const one = ask(() => Promise.resolve(ok), provider);
    for (let index = 0; index < 3; index++) await one();
    expect(fetched).toBe(2);
  });
});

test("retries end when their budget is used up", async () => {
  jest.spyOn(Math, "random").mockReturnValue(0);
  let posts = 0;
  const post: Post = () => Promise.resolve((posts++, { status: 503, headers: {}, body: Buffer.from("{}") }));
  const client = openSqsClients({ endpoint: "http://localhost", region, credentials, post })();
  for (let index = 0; index < 300; index++)
    await expect(client.send(new GetQueueAttributesCommand(input))).rejects.toMatchObject({ $fault: "server" });
  expect(posts).toBe(300 + 100);
  jest.restoreAllMocks();
});

test("Node's SHA-256 is the signer's", async () => {
  const bytes = fc.oneof(fc.string({ minLength: 1 }), fc.uint8Array({ minLength: 1 }));
  await fc.assert(
    fc.asyncProperty(
      fc.option(bytes, { nil: undefined }),
      fc.array(bytes, { maxLength: 3 }),
      async (secret, pieces) => {
        const [ours, plain] = [new Sha256(secret), new PlainSha256(secret)];
        for (const piece of pieces) [ours, plain].forEach((hash) => hash.update(piece));
        expect(await ours.digest()).toEqual(await plain.digest());
        ours.reset();
        plain.reset();
        expect(await ours.digest()).toEqual(await plain.digest());
      },
    ),
  );
});

describe("DynamoDB's values", () => {
  const bytes = fc.uint8Array({ maxLength: 8 });
  const attribute = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.record({ S: fc.string() }),
      fc.record({ B: bytes }),
      fc.record({ BS: fc.array(bytes, { minLength: 1, maxLength: 3 }) }),
      fc.record({ L: fc.array(tie("value"), { maxLength: 3 }) }),
      fc.record({ M: fc.dictionary(fc.constantFrom("B", "BS", "S", "a", "__proto__"), tie("value")) }),
    ),
  })).value;

  test("are the same to both clients, binary included, whatever the attributes' names", async () => {
    const seen: string[] = [];
    let answer = "";
    const { url } = await servers.start((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
      request.on("end", () => {
        seen.push(body);
        response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(answer);
      });
    });
    const access = { endpoint: url, region, credentials };
    const [light, plain] = [dynamoClient(access), new DynamoDBClient(access)];
    const item = fc.dictionary(fc.constantFrom("B", "BS", "a"), attribute) as fc.Arbitrary<
      Record<string, AttributeValue>
    >;
    const input = { TableName: "BS" };
    await fc.assert(
      fc.asyncProperty(item, async (Item) => {
        answer = "{}";
        await plain.send(new SdkPutItemCommand({ ...input, Item }));
        await light.send(new PutItemCommand({ ...input, Item }));
        const [bySdk, byLight] = seen.splice(0).map((text) => JSON.parse(text) as { readonly Item: object });
        expect(byLight).toEqual(bySdk);
        answer = JSON.stringify({ Item: bySdk?.Item });
        const Key = { pk: { S: "a" } };
        const read = await plain.send(new SdkGetItemCommand({ ...input, Key }));
        expect((await light.send(new GetItemCommand({ ...input, Key }))).Item).toEqual(read.Item);
        seen.splice(0);
      }),
    );
    plain.destroy();
  });
});
