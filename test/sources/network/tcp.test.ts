import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { PassThrough } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import type { ServiceStream } from "../../../lib/model/ports/cluster";
import { makeCertificates } from "../../cluster/certificates";
import { onThisMachine } from "../../../lib/net/address";
import { readEndpoint } from "../../../lib/net/endpoint";
import { peerText, readPeers } from "../../../lib/sources/network/peer";
import { boundAnswers, opened, openSocket, startSocket, startTls } from "../../../lib/sources/network/tcp";
import { readTcpServer } from "../../../lib/sources/network/tcp-server";
import { readBoundSecret, requireSameEndpoint } from "../../../lib/secrets/binding";
import { noLimit } from "../../time/no-limit";

const schemes = { secure: "rediss", plain: "redis" };
const deployed = { loopback: false, allowedHosts: [], onlyHosts: ["*.example.com", "10.0.0.1", "169.254.169.254"] };

test.each<[string, readonly unknown[] | string]>([
  ["redis.example.com:6379", [{ host: "redis.example.com", port: 6379 }]],
  [
    "A.Example.com.:1, [2001:DB8::1]:65535",
    [
      { host: "a.example.com", port: 1 },
      { host: "2001:db8::1", port: 65535 },
    ],
  ],
  ["redis.example.com", "expected host:port"],
  ["redis.example.com:0", "expected host:port"],
  ["redis.example.com:65536", "expected host:port"],
  ["user:pw@redis.example.com:6379", "expected host:port"],
  ["a:1,", "expected host:port"],
  ["a:1/x", "expected host:port"],
  ["a\r\nb:1", "expected host:port"],
  ["", "expected host:port"],
])("an address: %j", (text, expected) => {
  const read = () => readPeers(text, "address");
  if (typeof expected === "string") expect(read).toThrow(`parameter address: ${expected}`);
  else expect(read()).toEqual(expected);
});

test.each([
  [{ host: "2001:db8::1", port: 6379 }, "[2001:db8::1]:6379"],
  [{ host: "redis.example.com", port: 6379 }, "redis.example.com:6379"],
  [{ host: "10.0.0.1", port: 1 }, "10.0.0.1:1"],
  [{ host: "redis.shop.svc", port: 0 }, "redis.shop.svc"],
])("the text of %j is %s", (peer, expected) => {
  expect(peerText(peer)).toBe(expected);
});

test.each<[string, object, string]>([
  ["redis.example.com:6379", { tls: true }, ""],
  ["redis.example.com:6379", { tls: false }, ""],
  ["redis.example.com:6379", { tls: false, secret: "ebb/prod/x" }, "plain redis is allowed only to this machine"],
  [
    "redis.example.com:6379,evil.org:1",
    { tls: true },
    "expected a host that the deployment's sourceHosts allows, got evil.org",
  ],
  ["169.254.169.254:80", { tls: false }, "ebb does not connect to a link-local address"],
  ["127.0.0.1:6379", { tls: false }, "expected a host that the deployment's sourceHosts allows"],
])("a deployed function, %s with %j: %s", (address, { tls, ...more }: { tls?: boolean }, expected) => {
  const read = () => readTcpServer({ address, tls: tls === true, ...more }, { schemes, addresses: deployed });
  if (expected === "") expect(read().peers).toHaveLength(1);
  else expect(read).toThrow(expected);
});

describe("what a server may name", () => {
  const start = (host: string) => () => startSocket({ host, port: 6379 }, { tls: undefined, addresses: deployed });
  test.each(["evil.org", "127.0.0.1", "10.0.0.2"])("not %s", (host) => {
    expect(start(host)).toThrow("expected a host that the deployment's sourceHosts allows");
  });
  test("not an address that no connection goes to", () => {
    expect(start("169.254.169.254")).toThrow("ebb does not connect to a link-local address");
  });
});

describe("with TLS", () => {
  const certificates = makeCertificates();

  test("a credential's certificate is shown to the server", async () => {
    const { ca, client, server: own } = await certificates;
    let show: ((name: unknown) => void) | undefined;
    const shown = new Promise((resolve) => (show = resolve));
    const secure = createTlsServer({ ...own, ca, requestCert: true }, (socket) => {
      show?.(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    await new Promise<void>((done) => secure.listen(0, "127.0.0.1", done));
    const peer = { host: "127.0.0.1", port: (secure.address() as AddressInfo).port };
    const tls = {
      certificateAuthority: ca,
      tlsServerName: "api.internal",
      certificate: { certificate: client.cert, key: client.key },
    };
    const socket = await openSocket(peer, { tls, addresses: onThisMachine }, noLimit());
    socket.on("error", () => undefined);
    expect(await shown).toBe("ebb");
    socket.destroy();
    await new Promise((done) => secure.close(done));
  });

  test.each<[string, { readonly tlsServerName?: string }, readonly string[]]>([
    ["localhost", {}, ["localhost"]],
    ["127.0.0.1", {}, []],
    ["127.0.0.1", { tlsServerName: "api.internal" }, ["api.internal"]],
  ])("the server of %s with %j is asked for %j", async (host, named, expected) => {
    const { ca, server: own } = await certificates;
    const names: string[] = [];
    const secure = createTlsServer({
      ...own,
      SNICallback(name, done) {
        names.push(name);
        done(null);
      },
    });
    await new Promise<void>((done) => secure.listen(0, "127.0.0.1", done));
    const peer = { host, port: (secure.address() as AddressInfo).port };
    const opening = openSocket(
      peer,
      { tls: { certificateAuthority: ca, ...named }, addresses: onThisMachine },
      noLimit(),
    );
    const socket = await opening.catch(() => undefined); // the certificate is for other names than localhost
    socket?.destroy();
    expect(names).toEqual(expected);
    await new Promise((done) => secure.close(done));
  });

  test("over a forwarded stream keeps the process as long as the stream does", () => {
    const calls: string[] = [];
    const stream = Object.assign(new PassThrough(), {
      ref: () => calls.push("ref"),
      unref: () => calls.push("unref"),
    }) as unknown as Socket;
    const secure = startTls(stream, { host: "api.internal", port: 1 }, {});
    secure.on("error", () => undefined);
    expect([secure.unref(), secure.ref()]).toEqual([secure, secure]);
    expect(calls.slice(-2)).toEqual(["unref", "ref"]);
    secure.destroy();
  });

  test("a pair that is none is the entry's fault", () => {
    const tls = { certificate: { certificate: "x", key: "y" } };
    expect(() => startSocket({ host: "127.0.0.1", port: 1 }, { tls, addresses: onThisMachine })).toThrow(
      expect.objectContaining({
        kind: "badEntry",
        message: expect.stringMatching(
          /^expected a client certificate and its key, got a pair that TLS refuses: ./,
        ) as string,
      }) as Error,
    );
  });
});

test("a socket that closes before it is open is no connection, and may still report an error", async () => {
  const socket = new PassThrough() as unknown as Socket;
  const opening = opened(socket, "connect", noLimit());
  socket.destroy();
  await expect(opening).rejects.toMatchObject({ kind: "unreachable", message: "the server closed the connection" });
  expect(socket.emit("error", new Error("late"))).toBe(true);
});

describe("a stream through the API server", () => {
  const opening = (stream: object) =>
    openSocket(
      { host: "redis.shop.svc", port: 1 },
      { tls: undefined, addresses: deployed, through: () => Promise.resolve(stream as ServiceStream) },
      noLimit(),
    );

  test.each<[string, object, string]>([
    ["that has ended", { destroyed: true, errored: null }, "the server closed the connection"],
    ["that has failed", { destroyed: true, errored: new Error("connection refused") }, "connection refused"],
  ])("%s is no connection", async (_what, stream, message) => {
    await expect(opening(stream)).rejects.toMatchObject({ kind: "unreachable", message });
  });

  test("takes the settings of a socket, which it does not have", async () => {
    const stream = { destroyed: false };
    const socket = await opening(stream);
    expect([socket.setNoDelay(), socket.setKeepAlive(), socket.setTimeout(1)]).toEqual([stream, stream, stream]);
  });
});

describe("a name that leads to this machine", () => {
  test.each(["localhost", "2130706433", "0x7f.1"])("%s is looked up, and then refused", async (host) => {
    const addresses = { loopback: false, allowedHosts: [] };
    const signal = noLimit();
    const opening = openSocket({ host, port: 1 }, { tls: undefined, addresses }, signal);
    await expect(opening).rejects.toThrow(/ebb does not connect to a loopback address|no such host/);
  });
});

describe("a secret", () => {
  const bind = (endpoint: unknown, entry: readonly string[]) => {
    const text = JSON.stringify({ endpoint, password: "x" });
    const { bound } = readBoundSecret(text, "secret x", { credential: "…", addresses: onThisMachine, schemes });
    const [url, ...others] = entry.map((one) => new URL(one));
    requireSameEndpoint({ url: url!, others }, bound, "secret x");
  };

  test("is for its address, or for each of its list", () => {
    bind("rediss://a:1", ["rediss://a:1"]);
    bind(["rediss://a:1", "rediss://b:1"], ["rediss://a:1", "rediss://b:1"]);
    bind(["rediss://a:1", "rediss://b:1"], ["rediss://b:1"]);
  });

  test.each<[unknown, readonly string[], string]>([
    ["rediss://a:1", ["rediss://b:1"], "expected the one of secret x, got another"],
    ["rediss://a:1", ["rediss://a:1", "rediss://b:1"], "expected the one of secret x, got another"],
    ["rediss://a:1", ["rediss://a:2"], "expected the one of secret x, got another"],
    ["rediss://127.0.0.1:1", ["redis://127.0.0.1:1"], "expected the one of secret x, got another"],
    ["https://a:1", ["rediss://a:1"], "expected rediss://host:port, got something else"],
    ["redis://a:1", ["redis://a:1"], "plain redis is allowed only to this machine"],
    [["rediss://a:1", 7], ["rediss://a:1"], "got no endpoint"],
    [[], ["rediss://a:1"], "got no endpoint"],
  ])("for %j, not for %j", (endpoint, entry, expected) => {
    expect(() => bind(endpoint, entry)).toThrow(expected);
  });

  test("of HTTP is for no other scheme", () => {
    expect(() => readEndpoint("rediss://a:1", { name: "spec.endpoint" }, onThisMachine)).toThrow(
      "spec.endpoint: expected https://host[:port][/path]",
    );
  });
});

describe("a connection", () => {
  let server: Server;
  const peer = () => ({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const options = { tls: undefined, addresses: onThisMachine };

  afterEach(() => new Promise((done) => server.close(done)));

  async function listen(answer: string): Promise<void> {
    server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", () => socket.write(answer));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  }

  test("breaks when one answer is larger than its bound, not when many are", async () => {
    await listen("x".repeat(800));
    const socket = await openSocket(peer(), options, noLimit());
    const begin = boundAnswers(socket, 1_000);
    const answer = () =>
      new Promise<string>((resolve, reject) => {
        socket.once("data", (chunk: Buffer) => resolve(chunk.toString()));
        socket.once("error", reject);
        socket.write("?");
      });
    for (let call = 0; call < 5; call += 1) {
      begin();
      expect(await answer()).toHaveLength(800);
    }
    expect(await answer().catch((error: Error) => error.message)).toBe("the answer is larger than 1000 bytes");
    expect(socket.destroyed).toBe(true);
  });

  test("breaks when its protocol cannot read an answer, which would end the process", async () => {
    await listen("x");
    const socket = await openSocket(peer(), options, noLimit());
    boundAnswers(socket, 1_000);
    socket.on("data", () => {
      throw new Error("no message");
    });
    const broken = new Promise((resolve) => socket.once("error", resolve));
    socket.write("?");
    expect(await broken).toMatchObject({
      ...{ kind: "badAnswer", message: "expected the protocol's messages, got something else" },
    });
    expect(socket.emit("data", Buffer.alloc(1))).toBe(true);
  });

  test("that is given up leaves no socket", async () => {
    await listen("");
    const stop = new AbortController();
    const opening = openSocket(peer(), { ...options, tls: {} }, stop.signal);
    stop.abort(new Error("the slot's time is up"));
    await expect(opening).rejects.toThrow("the slot's time is up");
    expect(await new Promise((done) => server.getConnections((_error, count) => done(count)))).toBe(0);
  });
});
