import { createHash } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { startServer, type TestServer } from "../../cluster/api-server";
import { base64, makeCertificates } from "../../cluster/certificates";
import { openWebClient, type WebRequest, type WebServer } from "../../../lib/sources/network/web-client";
import { noLimit } from "../../time/no-limit";
import { networkWith } from "../contract/contract";
import { contextOf } from "../read-context";

const name = "ebb/prod/mq";
let server: TestServer;
beforeAll(async () => {
  server = await startServer((_request, response) => response.end("{}"));
});
afterAll(() => server.stop());
beforeEach(() => {
  server.reply = (_request, response) => response.end("{}");
});

const request: WebRequest = { method: "GET", headers: {}, path: "/m", description: "metric m", failureKey: "m" };

/** Asks the server, with a secret of these members or without one. */
async function ask(
  members?: object,
  { more = {}, over = {} }: { more?: Partial<WebRequest>; over?: Partial<WebServer> } = {},
) {
  const endpoint = { url: new URL(server.url) };
  const secrets = new Map(members ? [[name, JSON.stringify({ endpoint: server.url, ...members })]] : []);
  const client = openWebClient(networkWith(secrets));
  const where: WebServer = { endpoint, timeoutMs: 60_000, ...(members && { secret: name }), ...over };
  return client(contextOf({ signal: noLimit() }), where, { ...request, ...more });
}

describe("a credential", () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

  test.each<[string, object, object]>([
    ["a token", { token: "t0k3n" }, { authorization: "Bearer t0k3n" }],
    ["a name and a password", { username: "ü", password: "p:w" }, { authorization: basic("ü:p:w") }],
    ["a name and an empty password", { username: "u", password: "" }, { authorization: basic("u:") }],
    ["headers", { headers: { "X-Key": "k 1", b_2: "~" } }, { "x-key": "k 1", b_2: "~" }],
    ["headers and a token", { headers: { "X-Key": "k" }, token: "t" }, { "x-key": "k", authorization: "Bearer t" }],
  ])("of %s is sent", async (_what, members, expected) => {
    expect((await ask(members)).status).toBe(200);
    expect(server.received.at(-1)?.headers).toMatchObject(expected);
  });

  test.each<[string, object]>([
    ["nothing", {}],
    ["no headers", { headers: {} }],
    ["a token that would split the header", { token: "a\r\nX: 1" }],
    ["a token with a control character after it", { token: "a\u007f" }],
    ["a token that is no text", { token: 1 }],
    ["a name alone", { username: "u" }],
    ["a password alone", { password: "p" }],
    ["a name that is no text", { username: 1, password: "p" }],
    ["a password that is no text", { username: "u", password: 1 }],
    ["a header's name with a space", { headers: { "X Key": "k" } }],
    ["a header's name with a line break after it", { headers: { "X-Key\n": "k" } }],
    ["a header's name with a colon before it", { headers: { ":X": "k" } }],
    ["a header that would split the request", { headers: { "X-Key": "a\nb" } }],
    ["one good header and one that is no text", { headers: { "X-Key": "k", "X-Other": 1 } }],
    ["a certificate without its key", { token: "t", certificate: "-----BEGIN CERTIFICATE-----" }],
    ["a key without its certificate", { token: "t", key: "-----BEGIN" }],
    ["a certificate that is none", { certificate: "x", key: "y" }],
  ])("of %s is refused, and nothing is sent", async (_what, members) => {
    const before = server.received.length;
    await expect(ask(members)).rejects.toMatchObject({
      kind: "badEntry",
      message: expect.stringContaining(
        'expected "token", or "username" and "password", "headers", "certificate" and "key"; a header in printable ASCII beside its endpoint',
      ) as string,
    });
    expect(server.received).toHaveLength(before);
  });

  test("is read again once after a refusal, and only then", async () => {
    server.reply = (_request, response) => void response.writeHead(401).end();
    const before = server.received.length;
    await expect(ask({ token: "t" })).rejects.toMatchObject({
      ...{ kind: "unauthorized", status: 401 },
      message: "metric m: the server does not accept the credential of the source's secret (status 401)",
    });
    expect(server.received).toHaveLength(before + 2);
  });
});

test("clusters, servers and secrets share no connection and no credential", async () => {
  const secret = (token: string) => JSON.stringify({ endpoint: server.url, token });
  const names = ["ebb/prod/a", "ebb/prod/b", "ebb/other/a"];
  const client = openWebClient(networkWith(new Map(names.map((one) => [one, secret(one)]))));
  const ask = async (cluster: string, over: Partial<WebServer>) => {
    const where: WebServer = { endpoint: { url: new URL(server.url) }, timeoutMs: 60_000, ...over };
    const { cluster: own, ...context } = contextOf({ signal: noLimit() });
    await client({ ...context, cluster: { ...own, name: cluster } }, where, request);
    return server.received.at(-1)!.headers.authorization;
  };
  const before = server.connections;
  for (const _ of [1, 2]) {
    for (const one of names) expect(await ask(one.split("/")[1]!, { secret: one })).toBe(`Bearer ${one}`);
    expect(await ask("prod", {})).toBeUndefined();
    expect(await ask("prod", { endpoint: { url: new URL(`${server.url}/base`) } })).toBeUndefined();
    expect(await ask("prod", { endpoint: { url: new URL(server.url), tlsServerName: "x" } })).toBeUndefined();
  }
  expect(server.connections - before).toBe(6);
});

test.each<[number, string, string]>([
  [401, "unauthorized", "the server does not accept requests without a secret"],
  [403, "forbidden", "the server does not allow it to requests without a secret"],
  [404, "notFound", "there is no such thing on the server"],
  [429, "throttled", "the server asks for fewer requests"],
  [300, "badAnswer", "expected the answer, got a redirection, which is not followed"],
  [399, "badAnswer", "expected the answer, got a redirection, which is not followed"],
  [400, "badAnswer", "the server refused the request"],
  [499, "badAnswer", "the server refused the request"],
  [500, "unreachable", "the server failed"],
  [201, "badAnswer", "expected the answer, got another success than 200"],
  [299, "badAnswer", "expected the answer, got another success than 200"],
])("status %i is %s", async (status, kind, what) => {
  server.reply = (_request, response) => void response.writeHead(status, { location: "/elsewhere" }).end("why");
  const message = `metric m: ${what} (status ${status}`;
  await expect(ask()).rejects.toMatchObject({ kind, status, message: `${message})` });
  const errorIn = (body: Buffer) => `${body.toString()}\u001b[2J\u202e${"x".repeat(400)}`;
  await expect(ask(undefined, { more: { errorIn } })).rejects.toMatchObject({
    message: `${message}: why [2J ${"x".repeat(300 - "why [2J ".length)})`,
  });
});

test("a request has its method, its own headers and its body", async () => {
  await ask(undefined, { more: { method: "POST", headers: { "Content-Type": "text/x" }, body: "ä" } });
  const { method, url, headers, body } = server.received.at(-1)!;
  expect([method, url, headers["content-type"], String(body)]).toEqual(["POST", "/m", "text/x", "ä"]);
});

describe("a signed request", () => {
  const signed = async (method: "GET" | "POST", body?: string) => {
    const awsCredentials = () => Promise.resolve({ accessKeyId: "AKIA", secretAccessKey: "k3y" });
    const client = openWebClient({ ...networkWith(), awsCredentials, now: () => Date.UTC(2026, 2, 1) });
    const sigv4 = { region: "eu-west-1", service: "aps" };
    const where: WebServer = { endpoint: { url: new URL(`${server.url}/base`) }, timeoutMs: 60_000, sigv4 };
    const asked = {
      ...request,
      method,
      path: "/m?q=1",
      headers: { Accept: "text/x" },
      ...(body !== undefined && { body }),
    };
    await client(contextOf({ signal: noLimit() }), where, asked);
    return server.received.at(-1)!;
  };
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");

  test("has the signature of AWS for its region, service and time", async () => {
    const { url, headers } = await signed("GET");
    expect(url).toBe("/base/m?q=1");
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIA\/20260301\/eu-west-1\/aps\/aws4_request, SignedHeaders=accept;host;[\w;-]+, Signature=[0-9a-f]{64}$/,
    );
    expect(headers).toMatchObject({ accept: "text/x", "x-amz-date": "20260301T000000Z" });
    expect(headers["x-amz-content-sha256"]).toBe(hash(""));
  });

  test("has its body in its signature", async () => {
    const { headers, body } = await signed("POST", "ä");
    expect([String(body), headers["x-amz-content-sha256"]]).toEqual(["ä", hash("ä")]);
  });
});

test("a secret's certificate is shown to the server", async () => {
  const { ca, client, server: own } = await makeCertificates();
  const options = { ...own, ca, requestCert: true };
  const secure = await startServer((_request, response) => {
    response.end((response.socket as TLSSocket).getPeerCertificate().subject.CN);
  }, options);
  const pair = { certificate: client.cert, key: client.key };
  const members = {
    endpoint: secure.url,
    certificateAuthorityData: base64(ca),
    tlsServerName: "api.internal",
    ...pair,
  };
  const endpoint = { url: new URL(secure.url), certificateAuthority: ca, tlsServerName: "api.internal" };
  const reading = openWebClient(networkWith(new Map([[name, JSON.stringify(members)]])));
  const where: WebServer = { endpoint, secret: name, timeoutMs: 60_000 };
  expect(String((await reading(contextOf({ signal: noLimit() }), where, request)).body)).toBe("ebb");
  await secure.stop();
});

test("a read over a connection that breaks is sent twice at most", async () => {
  const before = server.received.length;
  server.reply = (_request, response) => response.socket?.destroy();
  await expect(ask()).rejects.toMatchObject({ kind: "unreachable" });
  expect(server.received).toHaveLength(before + 2);
});

test("a run that is over while the secret is read says so", async () => {
  const context = new AbortController();
  const client = openWebClient({
    ...networkWith(),
    secrets() {
      context.abort(new Error("the slot's time is up"));
      return Promise.reject(new Error("stopped"));
    },
  });
  const where: WebServer = { endpoint: { url: new URL(server.url) }, secret: name, timeoutMs: 60_000 };
  await expect(client(contextOf({ signal: context.signal }), where, request)).rejects.toMatchObject({
    kind: "timeout",
    message: "metric m: the slot's time is up",
  });
});
