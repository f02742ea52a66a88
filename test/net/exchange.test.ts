import * as http from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Socket } from "node:net";
import { OutOfTime } from "../../lib/async/within-time";
import { type Call, exchange, explain, faultKinds } from "../../lib/net/exchange";
import type { MemoryShare } from "../../lib/net/memory";
import { json, startServer, type TestServer } from "../cluster/api-server";
import { makeCertificates } from "../cluster/certificates";
import { noLimit } from "../time/no-limit";
import { until } from "../time/until";

let server: TestServer;
let agent: http.Agent;
/** What a call does with its memory. */
let memory: MemoryShare & { readonly held: unknown[]; evict: (why: string) => void };
beforeAll(async () => {
  server = await startServer((_request, response) => json(response, 200, { a: 1 }));
});
afterAll(() => server.stop());
beforeEach(() => {
  server.reply = (_request, response) => json(response, 200, { a: 1 });
  agent = new http.Agent({ keepAlive: true });
  const held: unknown[] = [];
  memory = {
    held,
    evict: () => undefined,
    hold(onEvicted) {
      memory.evict = onEvicted;
      return { add: () => undefined, end: (keep = 0, until) => void held.push([keep, until !== undefined]) };
    },
  };
});
afterEach(() => agent.destroy());

const limits = { connectMs: 60_000, idleMs: 60_000, maxBytes: 10_000 };

function call(more: Partial<Call> = {}, signal = noLimit()) {
  const given = { url: new URL(server.url), path: "/p?q=1", method: "GET", headers: {}, until: noLimit() } as const;
  return exchange({ ...given, agent, limits, memory, ...more }, signal);
}

test("a request has its method, path, headers and body, and its answer is whole", async () => {
  server.reply = (_request, response) => json(response, 201, { b: 2 }, { "x-own": "y" });
  const answer = await call({ method: "PUT", headers: { "X-Sent": "z" }, body: "ä" });
  expect(answer).toMatchObject({ status: 201, headers: { "x-own": "y" }, body: Buffer.from('{"b":2}') });
  expect(answer).not.toHaveProperty("kept");
  expect(server.received.at(-1)).toMatchObject({ method: "PUT", url: "/p?q=1", body: "ä" });
  expect(server.received.at(-1)?.headers["x-sent"]).toBe("z");
  expect(memory.held.at(0)).toEqual([0, true]);
});

test.each(["a new connection", "a kept one"])(
  "a request that may not start any more leaves nothing at the server, on %s",
  async (how) => {
    if (how === "a kept one") await call();
    const before = server.received.length;
    const late = await call({ method: "PATCH", body: "{}", mayStart: () => false });
    expect(late).toMatchObject({ failure: "aborted", sent: false });
    expect(await call({ mayStart: () => true })).toMatchObject({ status: 200 });
    expect(server.received.slice(before).map(({ method }) => method)).toEqual(["GET"]);
  },
);

test("whether a request may start is asked once its connection is open", async () => {
  const secure = await startServer((_request, response) => json(response, 200, {}), (await makeCertificates()).server);
  const order: string[] = [];
  const own = new HttpsAgent({ rejectUnauthorized: false });
  const connect = own.createConnection.bind(own);
  own.createConnection = (options, callback) => {
    const socket = connect(options, callback) as Socket;
    return socket.once("secureConnect", () => order.push("open"));
  };
  const mayStart = () => (order.push("asked"), true);
  expect(await call({ url: new URL(secure.url), agent: own, mayStart })).toMatchObject({ status: 200 });
  expect(order).toEqual(["open", "asked"]);
  own.destroy();
  await secure.stop();
});

test("what is kept of a list is in use until its run ends", async () => {
  server.reply = (_request, response) => json(response, 200, { items: [{ a: 1 }] });
  const answer = await call({ trim: { keep: (item) => item } });
  expect(answer).toMatchObject({ objects: [{ a: 1 }], body: Buffer.from('{"items":[{}]}') });
  expect(memory.held.at(0)).toEqual([expect.any(Number), true]);
  expect((memory.held.at(0) as [number])[0]).toBeGreaterThan(0);
});

test("a whole answer leaves its connection for the next request, and one that is given up does not", async () => {
  const before = server.connections;
  await call();
  await call();
  expect(server.connections - before).toBe(1);
  const whole = server.reply;
  server.reply = (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write('{"a":1}');
  };
  expect(await call({ limits: { ...limits, maxBytes: 3 } })).toMatchObject({ failure: "tooLarge" });
  await until(() => server.openConnections === 0);
  server.reply = whole;
  await call();
  expect(server.connections - before).toBe(2);
});

test("an answer that is evicted says why", async () => {
  server.reply = () => memory.evict("there is no room");
  expect(await call()).toEqual({ failure: "tooLarge", sent: true, detail: "there is no room" });
  expect(memory.held).toEqual([[0, false]]);
});

describe("a call that is given up", () => {
  const reason = new Error("the slot's time is up");

  test("before it begins sends nothing", async () => {
    const before = server.received.length;
    const outcome = await call({}, AbortSignal.abort(reason));
    expect(outcome).toEqual({ failure: "aborted", sent: false, detail: reason.message, cause: reason });
    expect(server.received).toHaveLength(before);
  });

  test("while the server works on it may have been acted on", async () => {
    const run = new AbortController();
    server.reply = () => run.abort(reason);
    const outcome = await call({}, run.signal);
    expect(outcome).toEqual({ failure: "aborted", sent: true, detail: reason.message, cause: reason });
  });

  test("since its own time is up is a time-out", async () => {
    const run = new AbortController();
    server.reply = () => run.abort(new OutOfTime(300));
    expect(await call({}, run.signal)).toMatchObject({ failure: "timeout", detail: "no answer within 0.3 s" });
  });
});

test.each([false, true])("a connection that is never made is a time-out, with TLS: %s", async (isSecure) => {
  const silent = new Socket();
  Object.defineProperty(silent, "connecting", { value: true });
  agent.createConnection = () => silent;
  const url = new URL(isSecure ? server.url.replace("http", "https") : server.url);
  const over = isSecure ? Object.assign(agent, { protocol: "https:", defaultPort: 443 }) : agent;
  const outcome = call({ url, agent: over, limits: { ...limits, connectMs: 20 } });
  expect(await outcome).toEqual({ failure: "timeout", sent: false, detail: "no connection for 0.02 s" });
});

test("an answer that stalls is a time-out", async () => {
  server.reply = (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("x");
  };
  const outcome = await call({ limits: { ...limits, idleMs: 20 } });
  expect(outcome).toMatchObject({ failure: "timeout", sent: true, detail: "the answer stalled for 0.02 s" });
});

test("an answer whose connection breaks within it was received in part", async () => {
  server.reply = (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("x", () => response.destroy());
  };
  expect(await call()).toMatchObject({
    ...{ failure: "reset", sent: true },
    detail: expect.stringMatching(/^the connection broke within the answer/) as string,
  });
});

test("a connection that breaks before an answer is reset, and one that is refused sent nothing", async () => {
  server.reply = (_request, response) => response.socket?.destroy();
  expect(await call()).toMatchObject({ failure: "reset", sent: true, detail: "socket hang up" });
  const outcome = await call({ url: new URL("http://127.0.0.1:1") });
  expect(outcome).toMatchObject({ failure: "unreachable", sent: false, detail: "connection refused" });
  expect(outcome).toHaveProperty("cause.code", "ECONNREFUSED");
});

test.each(["ECONNRESET", "EPIPE", "ECONNABORTED"])(
  "an error %s of a connection that was there is a reset",
  async (code) => {
    let socket: Socket | undefined;
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (...given) => (socket = connect(...given) as Socket);
    server.reply = () => socket?.destroy(Object.assign(new Error("why"), { code }));
    expect(await call()).toMatchObject({ failure: "reset", sent: true, detail: "why" });
  },
);

test("an error of a connection that was there, and is no reset, is unreachable", async () => {
  server.reply = (_request, response) => response.socket?.end("no HTTP\r\n\r\n");
  const detail = "the server does not speak HTTP at this port, or only with TLS";
  expect(await call()).toMatchObject({ failure: "unreachable", sent: true, detail });
});

test("an address of IPv6 is asked without its brackets", async () => {
  const hosts: unknown[] = [];
  agent.createConnection = (options) => {
    hosts.push([options.host, options.port]);
    return new Socket();
  };
  const run = new AbortController();
  const outcome = call({ url: new URL("http://[::1]:81") }, run.signal);
  run.abort(new Error("enough"));
  await outcome;
  expect(hosts).toEqual([["::1", "81"]]);
});

test("a request over TLS is sent once TLS is there, so the server may have acted on it", async () => {
  const certificates = await makeCertificates();
  const secure = await startServer((_request, response) => response.socket?.destroy(), certificates.server);
  const own = new HttpsAgent({ ca: certificates.ca });
  const outcome = await call({ method: "PUT", url: new URL(secure.url), agent: own });
  expect(outcome).toMatchObject({ failure: "reset", sent: true });
  own.destroy();
  await secure.stop();
});

test("each piece of an answer begins its time again", async () => {
  const setTimeouts = jest.spyOn(globalThis, "setTimeout");
  let send: ((text?: string) => void) | undefined;
  server.reply = (_request, response) => {
    response.writeHead(200, { "content-length": "2" }).flushHeaders();
    send = (text) => void (text === undefined ? response.end() : response.write(text));
  };
  const outcome = call({ limits: { ...limits, idleMs: 54_321 } });
  const timerOf = () => setTimeouts.mock.calls.findIndex(([, ms]) => ms === 54_321);
  await until(() => timerOf() >= 0);
  const refresh = jest.spyOn(setTimeouts.mock.results[timerOf()]?.value as NodeJS.Timeout, "refresh");
  for (const [index, piece] of ["a", "b"].entries()) {
    send?.(piece);
    await until(() => refresh.mock.calls.length === index + 1);
  }
  send?.();
  expect(await outcome).toMatchObject({ status: 200 });
  jest.restoreAllMocks();
});

test("a certificate is checked before anything is sent", async () => {
  const secure = await startServer((_request, response) => response.end("{}"), (await makeCertificates()).server);
  const own = new HttpsAgent();
  const outcome = await call({ url: new URL(secure.url), agent: own });
  own.destroy();
  expect(outcome).toMatchObject({
    ...{ failure: "unreachable", sent: false },
    detail: expect.stringMatching(/^its certificate is not signed by a trusted CA/) as string,
  });
  expect(secure.received).toEqual([]);
  await secure.stop();
});

test.each([
  [
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "its certificate is not signed by a trusted CA (why); set certificateAuthorityData to its CA",
  ],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "its certificate is not signed by a trusted CA (why); set certificateAuthorityData to its CA",
  ],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "its certificate is not signed by a trusted CA (why); set certificateAuthorityData to its CA",
  ],
  [
    "UNABLE_TO_GET_ISSUER_CERT",
    "its certificate is not signed by a trusted CA (why); set certificateAuthorityData to its CA",
  ],
  [
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "its certificate is not signed by a trusted CA (why); set certificateAuthorityData to its CA",
  ],
  [
    "CERT_SIGNATURE_FAILURE",
    "its certificate is not signed by a trusted CA (why); set certificateAuthorityData to its CA",
  ],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "its certificate is for another name (why); set tlsServerName to the name on the certificate",
  ],
  [
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "the server ended the TLS handshake: certificate required; if it asks for a client's certificate, the secret needs one that it accepts",
  ],
  [
    "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE",
    "the server ended the TLS handshake: bad certificate; if it asks for a client's certificate, the secret needs one that it accepts",
  ],
  [
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
    "the server ended the TLS handshake: handshake failure; if it asks for a client's certificate, the secret needs one that it accepts",
  ],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "the server ended the TLS handshake: protocol version"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "the server does not speak TLS at this port"],
  ["ERR_SSL_NO_SUITABLE_KEY_SHARE", "TLS failed: no suitable key share"],
  ["HPE_INVALID_CONSTANT", "the server does not speak HTTP at this port, or only with TLS"],
  ["ECONNREFUSED", "connection refused"],
  ["ENOTFOUND", "no such host"],
  ["EPIPE", "why"],
  [undefined, "why"],
])("the error %s in words", (code, expected) => {
  expect(explain(Object.assign(new Error("why"), code === undefined ? {} : { code }))).toBe(expected);
});

test("an error without words has its code, and one without either is one nevertheless", () => {
  expect(explain(Object.assign(new Error(""), { code: "EPIPE" }))).toBe("EPIPE");
  expect(explain(new Error(""))).toBe("the connection failed");
});

test("a missing answer is a fault of a read", () => {
  expect(faultKinds).toEqual({
    ...{ reset: "unreachable", unreachable: "unreachable", timeout: "timeout", aborted: "timeout" },
    ...{ tooLarge: "badAnswer", malformed: "badAnswer" },
  });
});
