/** @jest-environment node */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import tls from "node:tls";
import { generate } from "selfsigned";
import type { HttpAnswer } from "../../../lib/aws/http/answer-reader";
import { type Connections, openConnections, type PostLimits } from "../../../lib/aws/http/connections";
import { until } from "../../time/until";

const limits: PostLimits = { connectMs: 60_000, answerMs: 60_000, maxBytes: 1_000, maxSockets: 2 };
const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

interface Backend {
  readonly connections: Connections;
  /** Those that were made, in order. */
  readonly sockets: Socket[];
}

/** A server that answers each "ask TEXT" as `answer` does. */
async function backend(
  answer: (socket: Socket, text: string) => void,
  {
    server = createServer(),
    protocol = "http",
    ...changed
  }: Partial<PostLimits & { server: Server; protocol: string }> = {},
): Promise<Backend> {
  const sockets: Socket[] = [];
  server.on(protocol === "http" ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.push(socket);
    socket
      .on("error", () => undefined)
      .on("data", (piece) => {
        for (const text of piece.toString().match(/ask \w+/g) ?? []) answer(socket, text.slice(4));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const connections = openConnections(url, { ...limits, ...changed });
  ends.push(() => {
    connections.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { connections, sockets };
}

interface PendingRequest {
  readonly answer: Promise<string>;
  readonly giveUp: (why: Error) => void;
}

function send(connections: Connections, text: string): PendingRequest {
  let giveUp: PendingRequest["giveUp"] = () => undefined;
  const answer = new Promise<HttpAnswer>((answered, failed) => {
    giveUp = connections.start({ request: `ask ${text}`, answered, failed });
  });
  return { answer: answer.then(({ body }) => Buffer.from(body).toString()), giveUp };
}

const http = (body: string, headers = "") =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
const echo = (socket: Socket, text: string) => void socket.write(http(text));

test("one request after the other shares a connection", async () => {
  const { connections, sockets } = await backend(echo);
  for (const text of ["a", "b", "c"]) expect(await send(connections, text).answer).toBe(text);
  expect(sockets).toHaveLength(1);
});

test("requests beyond maxSockets wait, and each gets its own answer", async () => {
  const open: [Socket, string][] = [];
  const { connections, sockets } = await backend((socket, text) => void open.push([socket, text]));
  const texts = ["a", "b", "c", "d", "e"];
  const all = Promise.all(texts.map((text) => send(connections, text).answer));
  const order: string[] = [];
  while (order.length < texts.length) {
    await until(() => open.length >= Math.min(2, texts.length - order.length));
    expect(open.length).toBeLessThanOrEqual(2);
    for (const [socket, text] of open.splice(0).reverse()) {
      order.push(text);
      echo(socket, text);
    }
  }
  expect(await all).toEqual(texts);
  expect(sockets).toHaveLength(2);
});

test("a connection that was idle for a minute is not asked again", async () => {
  const { connections, sockets } = await backend(echo);
  await send(connections, "a").answer;
  const later = Date.now() + 56_000;
  const clock = jest.spyOn(Date, "now").mockImplementation(() => later);
  expect(await send(connections, "b").answer).toBe("b");
  clock.mockRestore();
  expect(sockets).toHaveLength(2);
  await until(() => sockets[0]?.destroyed === true);
});

test.each([
  ["of another answer after an answer", (socket: Socket, text: string) => socket.write(http(text) + http("stolen"))],
  [
    "that come while nobody asks",
    (socket: Socket, text: string) => {
      socket.write(http(text));
      setTimeout(() => socket.write(http("stolen")), 5);
    },
  ],
  ["of a last answer", (socket: Socket, text: string) => socket.write(http(text, "connection: close\r\n"))],
  ["that end with the connection", (socket: Socket, text: string) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${text}`)],
])("after bytes %s, the next request has a new connection", async (_what, answer) => {
  const { connections, sockets } = await backend((socket, text) => void answer(socket, text));
  for (const text of ["a", "b"]) {
    expect(await send(connections, text).answer).toBe(text);
    const socket = sockets.at(-1);
    if (socket?.closed === false) await once(socket, "close");
  }
  expect(sockets).toHaveLength(2);
});

test("a request that is given up loses its connection, and those that wait go on", async () => {
  const { connections, sockets } = await backend((socket, text) => {
    if (text !== "stuck") echo(socket, text);
  });
  const [first, second] = [send(connections, "stuck"), send(connections, "stuck")];
  const waiting = send(connections, "a");
  const alsoGivenUp = send(connections, "b");
  await until(() => sockets.length === 2);
  alsoGivenUp.giveUp(new Error("nobody wants b"));
  first.giveUp(new Error("too slow"));
  await expect(first.answer).rejects.toThrow("too slow");
  await expect(alsoGivenUp.answer).rejects.toThrow("nobody wants b");
  expect(await waiting.answer).toBe("a");
  second.giveUp(new Error("too slow"));
  await expect(second.answer).rejects.toThrow("too slow");
  expect(await send(connections, "c").answer).toBe("c");
  expect(sockets).toHaveLength(3);
});

test("what comes after a request was given up does not answer the next one", async () => {
  let answerLate: (() => void) | undefined;
  const { connections } = await backend((socket, text) => {
    if (text === "late") return void (answerLate = () => echo(socket, text));
    answerLate?.();
    setImmediate(() => echo(socket, text));
  });
  const late = send(connections, "late");
  await until(() => answerLate !== undefined);
  late.giveUp(new Error("too slow"));
  await expect(late.answer).rejects.toThrow("too slow");
  expect(await send(connections, "next").answer).toBe("next");
});

describe("connections that the peer forgot while the process was frozen", () => {
  /** Idle connections, all but the last of which the server forgets: it resets them at their next request. */
  async function frozen(forget: (socket: Socket) => void, changed: Partial<PostLimits> = {}) {
    const forgotten = new Set<Socket>();
    let isHeld = true;
    const held: (() => void)[] = [];
    const end = await backend(
      (socket, text) => {
        if (forgotten.has(socket)) return forget(socket);
        if (isHeld) held.push(() => echo(socket, text));
        else echo(socket, text);
      },
      { maxSockets: 50, ...changed },
    );
    const first = Array.from({ length: 32 }, (_, number) => send(end.connections, `n${number}`).answer);
    await until(() => held.length === first.length);
    for (const answer of held.splice(0)) answer();
    await Promise.all(first);
    isHeld = false;
    for (const socket of end.sockets) forgotten.add(socket);
    return end;
  }

  test("after one is reset, the next request has a new one", async () => {
    const { connections, sockets } = await frozen((socket) => socket.resetAndDestroy());
    await expect(send(connections, "a").answer).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(await send(connections, "b").answer).toBe("b");
    expect(sockets).toHaveLength(33);
  });

  test("after one that is closed with the request, too", async () => {
    const { connections, sockets } = await frozen((socket) => socket.end());
    await expect(send(connections, "a").answer).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(await send(connections, "b").answer).toBe("b");
    expect(sockets).toHaveLength(33);
  });

  test("after one that never answers, too", async () => {
    const { connections, sockets } = await frozen(() => undefined, { answerMs: 5_000 });
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "Date"] });
    ends.push(() => jest.useRealTimers());
    const silent = send(connections, "a").answer;
    const seen = expect(silent).rejects.toMatchObject({ name: "TimeoutError" });
    jest.advanceTimersByTime(5_000);
    await seen;
    expect(await send(connections, "b").answer).toBe("b");
    expect(sockets).toHaveLength(33);
  });

  test("those that answered since then stay, and so do all when a caller gives up", async () => {
    const open: Socket[] = [];
    const { connections, sockets } = await backend((socket, text) => {
      if (text === "stuck") open.push(socket);
      else echo(socket, text);
    });
    await Promise.all(["a", "b"].map((text) => send(connections, text).answer));
    const stuck = send(connections, "stuck");
    await until(() => open.length > 0);
    const clock = jest.spyOn(Date, "now");
    ends.push(() => clock.mockRestore());
    const later = Date.now() + 1_000;
    clock.mockReturnValue(later);
    expect(await send(connections, "c").answer).toBe("c");
    const seen = expect(stuck.answer).rejects.toMatchObject({ code: "ECONNRESET" });
    open[0]?.resetAndDestroy();
    await seen;
    const givenUp = send(connections, "stuck");
    givenUp.giveUp(new Error("too slow"));
    await expect(givenUp.answer).rejects.toThrow("too slow");
    expect(sockets).toHaveLength(2);
  });
});

test("at most 32 connections stay idle", async () => {
  const { connections, sockets } = await backend(echo, { maxSockets: 50 });
  await Promise.all(Array.from({ length: 50 }, (_, number) => send(connections, `n${number}`).answer));
  expect(sockets.length).toBeGreaterThan(32);
  await until(() => sockets.filter(({ destroyed }) => !destroyed).length <= 32);
});

test("a connection that breaks fails its own request only", async () => {
  let answerGood: (() => void) | undefined;
  const { connections } = await backend((socket, text) => {
    if (text === "bad") socket.resetAndDestroy();
    else answerGood = () => echo(socket, text);
  });
  const bad = send(connections, "bad").answer;
  const good = send(connections, "good").answer;
  await expect(bad).rejects.toMatchObject({ code: "ECONNRESET" });
  await until(() => answerGood !== undefined);
  answerGood?.();
  expect(await good).toBe("good");
});

test("no server: ECONNREFUSED for each, waiting or not", async () => {
  const { connections, sockets } = await backend(echo);
  ends.splice(0).forEach((end) => end());
  expect(sockets).toHaveLength(0);
  const all = [1, 2, 3, 4].map((number) => send(connections, `n${number}`).answer);
  for (const answer of all) await expect(answer).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("close fails what is asked, and what waits", async () => {
  const { connections, sockets } = await backend(() => undefined);
  const all = [1, 2, 3, 4].map((number) => send(connections, `n${number}`).answer);
  const seen = all.map((answer) => expect(answer).rejects.toThrow("the client was closed"));
  await until(() => sockets.length === 2);
  connections.close();
  await Promise.all(seen);
});

describe("over TLS", () => {
  const server = async (name: string) => {
    const { private: key, cert } = await generate([{ name: "commonName", value: name }], {
      extensions: [
        {
          name: "subjectAltName",
          altNames: name === "127.0.0.1" ? [{ type: 7, ip: name }] : [{ type: 2, value: name }],
        },
      ],
    });
    return { cert, server: tls.createServer({ key, cert, ticketKeys: Buffer.alloc(48, 1) }) };
  };

  function trust(ca: string): void {
    const real = tls.createSecureContext;
    const trusting = jest.spyOn(tls, "createSecureContext");
    trusting.mockImplementation((options) => real({ ...options, ca }));
    ends.push(() => trusting.mockRestore());
  }

  test("a later connection resumes the session of an earlier one", async () => {
    const { cert, server: tlsServer } = await server("127.0.0.1");
    trust(cert);
    const reused: boolean[] = [];
    tlsServer.on("secureConnection", (socket) => reused.push(socket.isSessionReused()));
    const once = (socket: Socket, text: string) => void socket.write(http(text, "connection: close\r\n"));
    const { connections, sockets } = await backend(once, { server: tlsServer, protocol: "https" });
    for (const text of ["a", "b"]) {
      expect(await send(connections, text).answer).toBe(text);
      await until(() => sockets.at(-1)?.closed === true);
    }
    expect(reused).toEqual([false, true]);
  });

  test.each([
    ["that nobody signed", "127.0.0.1", false, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["of another host", "queue.example.com", true, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("a certificate %s is refused", async (_what, name, isTrusted, code) => {
    const { cert, server: tlsServer } = await server(name);
    if (isTrusted) trust(cert);
    const { connections } = await backend(echo, { server: tlsServer, protocol: "https" });
    await expect(send(connections, "a").answer).rejects.toMatchObject({ code });
  });
});
