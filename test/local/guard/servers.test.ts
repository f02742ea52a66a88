import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sha256 } from "@aws-crypto/sha256-js";
import { ListTablesCommand } from "../../aws/commands";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import { dynamoClient } from "../../../lib/table/client";
import { realClock } from "../../../local/clock";
import { type LocalCredential, newCredential, proofOf } from "../../../local/guard/signature";
import { seededRandom } from "../../../local/random";
import { createAccount } from "../../../local/backends/sqs/account";
import { startSqsServer } from "../../../local/backends/sqs/server";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { strangeHeaders } from "./strange-headers";

interface ServerUnderTest {
  readonly endpoint: string;
  readonly credential: LocalCredential;
  readonly service: "dynamodb" | "sqs";
  /** An action that needs no input. */
  readonly target: string;
  close(): Promise<void>;
}

async function table(): Promise<ServerUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "ebb-guard-"));
  const embedded = await openEmbeddedTable({ directory });
  const { endpoint, credential } = embedded;
  return {
    ...{ endpoint, credential, service: "dynamodb", target: "DynamoDB_20120810.ListTables" },
    async close() {
      await embedded.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function queues(): Promise<ServerUnderTest> {
  const clock = realClock();
  const server = await startSqsServer(createAccount({ clock, random: seededRandom(1) }));
  return {
    ...{ endpoint: server.endpoint, credential: server.credential, service: "sqs", target: "AmazonSQS.ListQueues" },
    async close() {
      clock.close();
      await server.close();
    },
  };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Exactly these headers and this body, as no client of AWS would send them. */
function send(endpoint: string, { method = "POST", path = "/", headers, body = "" }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(path, endpoint), { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe.each([
  ["the table", table],
  ["the queues", queues],
] as const)("%s on this machine", (_name, start) => {
  let server: ServerUnderTest;
  beforeAll(async () => (server = await start()));
  afterAll(() => server.close());

  interface Lie {
    readonly credential?: LocalCredential;
    readonly region?: string;
    readonly service?: string;
    readonly at?: Date;
    readonly body?: string;
    readonly unsigned?: readonly string[];
  }

  /** A request as a client signs it, except for the lie. */
  async function signed(lie: Lie = {}): Promise<Sent & { headers: Record<string, string> }> {
    const { credential = server.credential, region = "us-east-1", service = server.service, body = "{}" } = lie;
    const url = new URL(server.endpoint);
    const signer = new SignatureV4({ service, region, credentials: credential, sha256: Sha256 });
    const headers = {
      host: url.host,
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": server.target,
      "x-amz-nonce": newCredential().accessKeyId,
    };
    const request = new HttpRequest({ method: "POST", path: "/", hostname: url.hostname, headers, body });
    const unsignableHeaders = new Set(lie.unsigned ?? []);
    const made = await signer.sign(request, { signingDate: lie.at ?? new Date(), unsignableHeaders });
    return { headers: made.headers, body };
  }
  const answerTo = async (request: Sent) => send(server.endpoint, request);
  const typeOf = ({ body }: Answer) => (JSON.parse(body) as { __type: string }).__type.split("#")[1];

  test("answers a client that signs", async () => {
    expect((await answerTo(await signed())).status).toBe(200);
    const options = { endpoint: server.endpoint, region: "us-east-1", credentials: server.credential };
    const asked =
      server.service === "sqs"
        ? new SQSClient(options).send(new ListQueuesCommand({}))
        : dynamoClient(options).send(new ListTablesCommand({}));
    expect(await asked).toBeDefined();
  });

  test.each(strangeHeaders)(
    "refuses %s, even with a right signature, and lets no page read the refusal",
    async (_case, headers) => {
      const request = await signed();
      const answer = await answerTo({ ...request, headers: { ...request.headers, ...headers } });
      expect([answer.status, typeOf(answer)]).toEqual([403, "AccessDeniedException"]);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    },
  );

  test.each<[string, Sent]>([
    ["a preflight", { method: "OPTIONS", headers: { origin: "https://evil.example" } }],
    ["a simple POST that a page may send anywhere", { headers: { "content-type": "text/plain" }, body: "{}" }],
    ["a GET", { method: "GET", headers: {} }],
    ["a request to prove something else", { method: "GET", path: "/ebb/proof/not-a-nonce", headers: {} }],
  ])("refuses %s without a signature", async (_case, request) => {
    const answer = await answerTo(request);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(answer.body).not.toContain("healthy");
  });

  const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  test.each<[string, Lie, string]>([
    ["a stranger's key", { credential: newCredential() }, "UnrecognizedClientException"],
    ["another region", { region: "eu-central-1" }, "InvalidSignatureException"],
    ["another service", { service: "s3" }, "InvalidSignatureException"],
    ["a time too long ago", { at: ahead(-6) }, "InvalidSignatureException"],
    ["a time too far ahead", { at: ahead(6) }, "InvalidSignatureException"],
    ["its action not signed", { unsigned: ["x-amz-target"] }, "InvalidSignatureException"],
    ["its host not signed", { unsigned: ["host"] }, "InvalidSignatureException"],
  ])("refuses %s", async (_case, lie, type) => {
    const answer = await answerTo(await signed(lie));
    expect([answer.status, typeOf(answer)]).toEqual([400, type]);
  });

  test("refuses the right key with another secret", async () => {
    const credential = { ...newCredential(), accessKeyId: server.credential.accessKeyId };
    const answer = await answerTo(await signed({ credential }));
    expect([answer.status, typeOf(answer)]).toEqual([400, "InvalidSignatureException"]);
    expect(answer.body).not.toContain(server.credential.secretAccessKey);
  });

  test("refuses another body than the signed one, with or without its own hash", async () => {
    const request = await signed();
    const other = '{"Limit":1}';
    const hash = createHash("sha256").update(other).digest("hex");
    const { "x-amz-content-sha256": _hash, ...without } = request.headers;
    for (const headers of [request.headers, without, { ...request.headers, "x-amz-content-sha256": hash }]) {
      const answer = await answerTo({ headers, body: other });
      expect([answer.status, typeOf(answer)]).toEqual([400, "InvalidSignatureException"]);
    }
  });

  test.each([
    ["action", { "x-amz-target": "DynamoDB_20120810.DeleteTable" }],
    ["date", { "x-amz-date": "20260301T120000Z" }],
    ["nonce", { "x-amz-nonce": "another" }],
    ["unsigned payload", { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }],
    ["form of the signature", { authorization: "AWS4-HMAC-SHA256 Credential=a/b/c/d/aws4_request" }],
    ["scheme", { authorization: "Bearer abc" }],
    ["list of signed headers", { authorization: "" }],
  ])("refuses another %s than the signed one", async (_case, headers) => {
    const request = await signed();
    const answer = await answerTo({ ...request, headers: { ...request.headers, ...headers } });
    expect(answer.status).toBe(400);
  });

  test("answers each of ten equal requests with equal signatures, as boto3 sends them within a second", async () => {
    const request = await signed();
    const answers = await Promise.all(Array.from({ length: 10 }, () => answerTo(request)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
  });

  test("refuses the request of an earlier start, whose credential was another", async () => {
    const request = await signed();
    const next = await start();
    const answer = await send(next.endpoint, {
      ...request,
      headers: { ...request.headers, host: new URL(next.endpoint).host },
    });
    await next.close();
    expect([answer.status, typeOf(answer)]).toEqual([400, "UnrecognizedClientException"]);
  });

  test("refuses a request again once its time is over", async () => {
    const request = await signed({ at: ahead(-4) });
    expect((await answerTo(request)).status).toBe(200);
    const later = Date.now() + 2 * 60_000;
    const clock = jest.spyOn(Date, "now").mockReturnValue(later);
    const answer = await answerTo(request);
    clock.mockRestore();
    expect([answer.status, typeOf(answer)]).toEqual([400, "InvalidSignatureException"]);
  });

  test("proves that it knows the secret, and gives nothing else away", async () => {
    const nonce = "0123456789abcdef".repeat(2);
    const headers = { host: new URL(server.endpoint).host };
    const answer = await answerTo({ method: "GET", path: `/ebb/proof/${nonce}`, headers });
    expect(answer.body).toBe(proofOf(server.credential, nonce));
    const page = { ...headers, origin: "https://evil.example" };
    expect((await answerTo({ method: "GET", path: `/ebb/proof/${nonce}`, headers: page })).status).toBe(403);
  });

  test("listens on loopback alone", () => {
    expect(new URL(server.endpoint).hostname).toBe("127.0.0.1");
  });

  test("keeps working after 200 clients that break off in a body, or announce more than they may send", async () => {
    const { "content-length": _length, ...headers } = (await signed()).headers as Record<string, string>;
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const options = {
          method: "POST",
          agent: false,
          headers: { ...headers, "content-length": String(index * 1e5) },
        };
        const sent = httpRequest(new URL(server.endpoint), options);
        sent.on("error", () => undefined);
        await new Promise<void>((resolve) => sent.write("{", () => resolve()));
        sent.destroy();
      }),
    );
    expect((await answerTo(await signed())).status).toBe(200);
  });
});

test("each start has a credential of its own", () => {
  const all = Array.from({ length: 1000 }, newCredential);
  expect(new Set(all.map(({ accessKeyId }) => accessKeyId)).size).toBe(1000);
  expect(new Set(all.map(({ secretAccessKey }) => secretAccessKey)).size).toBe(1000);
});
