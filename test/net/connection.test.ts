import type { TLSSocket } from "node:tls";
import { onThisMachine } from "../../lib/net/address";
import { type ConnectionOptions, openConnection, type Outgoing } from "../../lib/net/connection";
import type { Credential } from "../../lib/net/credential";
import { openMemory } from "../../lib/net/memory";
import { json, startServer, type TestServer } from "../cluster/api-server";
import { makeCertificates } from "../cluster/certificates";
import { noLimit } from "../time/no-limit";
import { until } from "../time/until";

const limits = { connectMs: 60_000, idleMs: 60_000, maxBytes: 1_000 };
const none: Credential = { headers: {} };
const memory = openMemory(2 ** 30).share();
const get: Outgoing = { method: "GET", path: "/x", headers: {}, memory, until: noLimit() };

let server: TestServer;
beforeAll(async () => {
  server = await startServer((_request, response) => json(response, 200, { text: "x".repeat(500) }));
});
afterAll(() => server.stop());

function open(path = "", more: Partial<ConnectionOptions> = {}) {
  const clock = { now: 0 };
  const options = { idleSockets: 2, limits, addresses: onThisMachine, now: () => clock.now, ...more };
  const connection = openConnection({ url: new URL(`${server.url}${path}`) }, options);
  const before = server.connections;
  const send = (call: Partial<Outgoing> = {}, credential = none) =>
    connection.exchange({ ...get, ...call }, credential, noLimit());
  return { clock, connection, send, opened: () => server.connections - before };
}

test.each([
  ["", "/x"],
  ["/", "/x"],
  ["/base//", "/base/x"],
  ["/a/b", "/a/b/x"],
])("below the path %j, requests and upgrades go to %s", async (path, expected) => {
  const { connection, send } = open(path);
  await send();
  expect(server.received.at(-1)?.url).toBe(expected);
  const { url, headers, agent } = connection.upgrade("/x", { headers: { Authorization: "Bearer t" } });
  expect([url.href, headers]).toEqual([`${server.url}${expected}`, { Authorization: "Bearer t" }]);
  expect(agent).toBe(connection.upgrade("/y", none).agent);
  connection.close();
});

test("a credential's headers take the place of the request's own", async () => {
  const { connection, send } = open();
  await send({ headers: { Authorization: "mine", "X-Own": "1" } }, { headers: { Authorization: "Bearer t" } });
  expect(server.received.at(-1)?.headers).toMatchObject({ authorization: "Bearer t", "x-own": "1" });
  connection.close();
});

test("an answer has the connection's bound, or the request's", async () => {
  const { connection, send } = open();
  expect(await send()).toMatchObject({ status: 200 });
  expect(await send({ maxBytes: 100 })).toMatchObject({ failure: "tooLarge" });
  connection.close();
});

test("connections are used again for 55 s, and two idle ones are kept", async () => {
  const { clock, connection, send, opened } = open();
  await Promise.all([send(), send(), send()]);
  expect(opened()).toBe(3);
  await Promise.all([send(), send(), send()]);
  expect(opened()).toBe(4);
  clock.now = 55_000;
  await send();
  expect(opened()).toBe(4);
  clock.now = 110_001;
  await send();
  expect(opened()).toBe(5);
  connection.close();
});

test("dropped idle connections are not used again", async () => {
  const { connection, send, opened } = open();
  connection.dropIdle(); // there is none
  await send();
  connection.dropIdle();
  await send();
  expect(opened()).toBe(2);
  connection.close();
});

test("a closed connection ends the idle ones now, and those in use after their answers", async () => {
  const { connection, send, opened } = open();
  connection.close(); // nothing is open
  await send();
  let answer: (() => void) | undefined;
  const { reply } = server;
  server.reply = (_request, response) => {
    answer = () => json(response, 200, {});
    connection.close();
  };
  const pending = send();
  await until(() => answer !== undefined);
  answer?.();
  expect(await pending).toMatchObject({ status: 200 });
  server.reply = reply;
  await send();
  expect(opened()).toBe(2);
  connection.close();
});

describe("with TLS", () => {
  let certificates: Awaited<ReturnType<typeof makeCertificates>>;
  let secure: TestServer;
  const shown: unknown[] = [];
  beforeAll(async () => {
    certificates = await makeCertificates();
    const options = { ...certificates.server, ca: certificates.ca, requestCert: true, rejectUnauthorized: false };
    secure = await startServer((_request, response) => {
      const socket = response.socket as TLSSocket & { readonly servername: unknown };
      shown.push([socket.getPeerCertificate().subject?.CN, socket.servername]);
      json(response, 200, {});
    }, options);
  });
  afterAll(() => secure.stop());

  const own = () => ({ certificate: certificates.client.cert, key: certificates.client.key });

  test("connections have the credential's certificate, and others are made for another one", async () => {
    const endpoint = { url: new URL(secure.url), certificateAuthority: certificates.ca, tlsServerName: "api.internal" };
    const options = { idleSockets: 2, limits, addresses: onThisMachine, now: () => 0 };
    const connection = openConnection(endpoint, options);
    const send = (credential: Credential) => connection.exchange(get, credential, noLimit());
    for (const credential of [none, none, { headers: {}, certificate: own() }, { headers: {}, certificate: own() }])
      expect(await send(credential)).toMatchObject({ status: 200 });
    const expected = [undefined, undefined, "ebb", "ebb"].map((name) => [name, "api.internal"]);
    expect(shown).toEqual(expected);
    expect(secure.connections).toBe(2);
    await until(() => secure.openConnections === 1);
    const other = await makeCertificates();
    for (const pair of [
      { ...own(), key: other.client.key },
      { ...own(), key: other.client.key },
      { ...own(), certificate: other.client.cert },
      { ...own(), certificate: "x" },
    ])
      await expect(send({ headers: {}, certificate: pair })).rejects.toMatchObject({
        kind: "badEntry",
        message: expect.stringMatching(
          /^auth: expected a client certificate and its key in PEM, got a pair that TLS refuses: ./,
        ) as string,
        cause: expect.any(Error) as Error,
      });
    connection.close();
  });

  test("a certificate of an unknown CA is refused", async () => {
    const options = { idleSockets: 2, limits, addresses: onThisMachine, now: () => 0 };
    const connection = openConnection({ url: new URL(secure.url) }, options);
    const before = shown.length;
    expect(await connection.exchange(get, none, noLimit())).toMatchObject({ failure: "unreachable", sent: false });
    expect(shown).toHaveLength(before);
    connection.close();
  });
});
