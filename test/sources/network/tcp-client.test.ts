import type { Socket } from "node:net";
import { unlessAborted } from "../../../lib/async/within-time";
import { Fault } from "../../../lib/model/fault";
import type { Cluster } from "../../../lib/model/ports/cluster";
import type { Peer } from "../../../lib/sources/network/peer";
import { type Opening, openTcpClient, type TcpCredential } from "../../../lib/sources/network/tcp-client";
import { readTcpServer, type TcpParameters, type TcpServer } from "../../../lib/sources/network/tcp-server";
import { onThisMachine } from "../../../lib/net/address";
import { noLimit } from "../../time/no-limit";
import { networkWith } from "../contract/contract";
import { contextOf } from "../read-context";

const schemes = { secure: "rediss", plain: "redis" };
const server = (more: TcpParameters = {}) =>
  readTcpServer({ address: "127.0.0.1:1", tls: false, ...more }, { schemes, addresses: onThisMachine });
const secretName = "ebb/prod/x";
const secretServer = () => server({ tls: true, secret: secretName });

interface Session {
  readonly number: number;
  readonly socket: Socket;
  readonly peer: Peer;
  readonly password: string | undefined;
  usable: boolean;
  destroyed: boolean;
  isReferenced: boolean;
  isUsable(): boolean;
  destroy(): void;
}

interface Credential extends TcpCredential {
  readonly password: string;
}

const call = { description: "orders of redis", failureKey: "orders" };

/** A client of a protocol that opens sessions without a socket. */
function open(
  opening: (given: Opening<Credential>) => Promise<void> | void = () => undefined,
  endpoint = "rediss://127.0.0.1:1",
) {
  const clock = { now: 0 };
  const passwords = ["p1"];
  const sessions: Session[] = [];
  const secrets = new Map<string, string>();
  const read = () => {
    const [password] = passwords.length > 1 ? passwords.splice(0, 1) : passwords;
    secrets.set(secretName, JSON.stringify({ endpoint, password }));
  };
  const { secrets: readSecret, ...network } = networkWith(secrets);
  const client = openTcpClient<Credential, Session>(
    {
      form: {
        members: '"password"',
        read: ({ password }) => (typeof password === "string" ? { password, hidden: [password] } : undefined),
      },
      async open(given) {
        await opening(given);
        const session: Session = {
          number: sessions.length + 1,
          peer: given.peer,
          password: given.credential?.password,
          socket: {
            ref: () => void (session.isReferenced = true),
            unref: () => void (session.isReferenced = false),
          } as unknown as Socket,
          usable: true,
          destroyed: false,
          isReferenced: true,
          isUsable: () => session.usable && !session.destroyed,
          destroy: () => void (session.destroyed = true),
        };
        sessions.push(session);
        return session;
      },
    },
    { ...network, now: () => clock.now, secrets: (...asked) => (read(), readSecret(...asked)) },
  );
  async function use<T>(
    work: (session: Session) => Promise<T> | T,
    { of = server(), signal = noLimit(), peer = of.peers[0], api }: Partial<Use> = {},
  ): Promise<T> {
    const cluster = { name: "prod", api: () => Promise.resolve(api as Cluster) };
    return client(contextOf({ signal, cluster }), of, call, (withConnection) =>
      withConnection(peer, async (session) => work(session)),
    );
  }
  return { client, clock, passwords, sessions, use };
}

interface Use {
  readonly of: TcpServer;
  readonly signal: AbortSignal;
  readonly peer: Peer;
  readonly api: Partial<Cluster>;
}

const number = (session: Session) => session.number;

describe("a kept connection", () => {
  test.each<[string, TcpServer, number]>([
    ["55 s", server(), 55_000],
    ["1 s through the API server, so that the permission is checked again", viaServer(), 1_000],
  ])("is used again for %s", async (_long, of, keepMs) => {
    const { clock, sessions, use } = open();
    expect(await use(number, { of })).toBe(1);
    expect(sessions[0]?.isReferenced).toBe(false);
    clock.now += keepMs;
    expect(await use((session) => [session.number, session.isReferenced], { of })).toEqual([1, true]);
    clock.now += keepMs + 1;
    expect(await use(number, { of })).toBe(2);
    expect(sessions.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  });

  test("ends when its time is up, and is not used after that", async () => {
    const timeouts = jest.spyOn(globalThis, "setTimeout");
    const { sessions, use } = open();
    await Promise.all([use(number), use(number)]);
    const expiries = timeouts.mock.calls.filter(([, ms]) => ms === 55_000).map(([expire]) => expire);
    expect(expiries).toHaveLength(2);
    expiries[0]?.();
    expect(sessions.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    expect(await use(number)).toBe(2);
    jest.restoreAllMocks();
  });

  test("is for its own peer and role", async () => {
    const { use } = open();
    const [peer] = server().peers;
    const peers = [
      peer,
      { ...peer, port: 2 },
      { ...peer, role: "sentinel" },
      { ...peer, role: "x" },
      peer,
      { ...peer, role: "sentinel" },
    ];
    const numbers: number[] = [];
    for (const one of peers) numbers.push(await use(number, { peer: one }));
    expect(numbers).toEqual([1, 2, 3, 4, 1, 3]);
  });

  test("is for its own cluster and server", async () => {
    const { client } = open();
    const numbers: number[] = [];
    const servers = [
      server(),
      server({ tls: true }),
      server({ tlsServerName: "n" }),
      server({ address: "127.0.0.1:1,127.0.0.1:2" }),
    ];
    for (const cluster of ["prod", "other", "prod"])
      for (const of of servers) {
        const { cluster: own, ...context } = contextOf();
        await client({ ...context, cluster: { ...own, name: cluster } }, of, call, (withConnection) =>
          withConnection(of.peers[0], (session) => Promise.resolve(numbers.push(session.number))),
        );
      }
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4]);
  });

  test("that died is passed over", async () => {
    const { sessions, use } = open();
    await use(number);
    sessions[0]!.usable = false;
    expect(await use(number)).toBe(2);
    expect(sessions[0]?.destroyed).toBe(true);
  });

  test("is one of four at most", async () => {
    const { client, sessions } = open();
    let arrived = 0;
    let arrive: (() => void) | undefined;
    const all = new Promise<void>((resolve) => (arrive = resolve));
    const work = async () => {
      if ((arrived += 1) === 5) arrive?.();
      await all;
    };
    const of = server();
    await client(contextOf(), of, call, (withConnection) =>
      Promise.all(Array.from({ length: 5 }, () => withConnection(of.peers[0], work))),
    );
    expect(sessions.filter(({ destroyed }) => destroyed)).toHaveLength(1);
  });

  test("of the server that was used longest ago ends with the 501st server", async () => {
    const { sessions, use } = open();
    for (let port = 1; port <= 500; port += 1) await use(number, { of: server({ address: `127.0.0.1:${port}` }) });
    expect(sessions.some(({ destroyed }) => destroyed)).toBe(false);
    await use(number, { of: server({ address: "127.0.0.1:501" }) });
    expect(sessions.filter(({ destroyed }) => destroyed).map(({ peer }) => peer.port)).toEqual([1]);
  });
});

describe("a session", () => {
  const fault = (kind: "unreachable" | "unauthorized" | "badAnswer") => new Fault(kind, `it is ${kind}`);
  const failing = (error: Error, times: number) => {
    let left = times;
    return (session: Session) => {
      if ((left -= 1) >= 0) throw error;
      return session.number;
    };
  };

  test("that a server's own error leaves usable is kept, and one that a fault ends is not", async () => {
    const { sessions, use } = open();
    await expect(use(failing(new Error("-WRONGTYPE"), 1))).rejects.toThrow("-WRONGTYPE");
    expect(sessions[0]?.destroyed).toBe(false);
    await expect(use(failing(fault("badAnswer"), 1))).rejects.toMatchObject({
      ...{ kind: "badAnswer", message: "orders of redis: it is badAnswer" },
    });
    expect(sessions.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  test("that is not usable after its work ends", async () => {
    const { sessions, use } = open();
    await use((session) => void (session.usable = false));
    expect(sessions[0]?.destroyed).toBe(true);
    await expect(
      use((session) => {
        session.usable = false;
        throw new Error("-ERR");
      }),
    ).rejects.toThrow("-ERR");
    expect(sessions[1]?.destroyed).toBe(true);
  });

  test("that was kept and is dead is replaced, with all others of its peer, and a new one is not", async () => {
    const { sessions, use } = open();
    await Promise.all([use(number), use(number)]);
    expect(await use(failing(fault("unreachable"), 1))).toBe(3);
    expect(sessions.map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
    await expect(open().use(failing(fault("unreachable"), 1))).rejects.toThrow("it is unreachable");
  });

  test("that a credential opened is opened again with a new one, once", async () => {
    const { passwords, sessions, use } = open();
    passwords.push("p2", "p3");
    expect(await use(failing(fault("unauthorized"), 1), { of: secretServer() })).toBe(2);
    expect(sessions.map(({ password }) => password)).toEqual(["p1", "p2"]);
    const refused = use(failing(fault("unauthorized"), 9), { of: secretServer() });
    await expect(refused).rejects.toMatchObject({ kind: "unauthorized" });
    expect(sessions).toHaveLength(3);
  });

  test("of an old credential is not used again, even if it was kept", async () => {
    const { passwords, sessions, use } = open();
    passwords.push("p2");
    const of = secretServer();
    await Promise.all([use(number, { of }), use(number, { of })]);
    expect(await use(failing(fault("unauthorized"), 1), { of })).toBe(3);
    expect(sessions.map(({ password, destroyed }) => [password, destroyed])).toEqual([
      ["p1", true],
      ["p1", true],
      ["p2", false],
    ]);
  });

  test("that a server's own error leaves usable is kept for its credential", async () => {
    const { use } = open();
    const of = secretServer();
    await expect(use(failing(new Error("-ERR"), 1), { of })).rejects.toThrow("-ERR");
    expect(await use(number, { of })).toBe(1);
  });

  test("that no credential opened is not opened again", async () => {
    const { sessions, use } = open();
    await expect(use(failing(fault("unauthorized"), 1))).rejects.toMatchObject({ kind: "unauthorized" });
    expect(sessions).toHaveLength(1);
  });

  test("of a reader that gives up ends, although the server's error would leave it usable", async () => {
    const { sessions, use } = open();
    const leaving = new AbortController();
    const reading = use(
      () => {
        leaving.abort(new Error("the slot's time is up"));
        throw new Error("-ERR");
      },
      { signal: leaving.signal },
    );
    await expect(reading).rejects.toMatchObject({
      ...{ kind: "timeout", message: "orders of redis: the slot's time is up" },
    });
    expect(sessions[0]?.destroyed).toBe(true);
  });

  test("that is not there after half of the time leaves the rest to another member", async () => {
    const { use } = open(({ signal }) => unlessAborted(new Promise(() => undefined), signal));
    const reading = use(number, { of: { ...server(), timeoutMs: 40 } });
    await expect(reading).rejects.toMatchObject({
      ...{ kind: "unreachable", message: "orders of redis: no connection to 127.0.0.1:1 for 0.02 s" },
    });
  });

  test("gets no credential that is for one member of its list alone", async () => {
    const { sessions, use } = open();
    const of = server({ address: "127.0.0.1:1,127.0.0.1:2", tls: true, secret: secretName });
    await expect(use(number, { of })).rejects.toThrow("expected the one of secret ebb/prod/x, got another");
    expect(sessions).toEqual([]);
  });

  test("shows no text of its credential", async () => {
    const { passwords, use } = open();
    passwords[0] = "p4ssw0rd";
    const reading = use(failing(new Fault("badAnswer", "no p4ssw0rd"), 1), { of: secretServer() });
    await expect(reading).rejects.toThrow("orders of redis: no [redacted]");
  });
});

describe("the destination", () => {
  const refusedPeer = (host: string) => ({ peer: { host, port: 6379 } });

  test("that a server names is checked as the entry's own", async () => {
    const { sessions, use } = open();
    await expect(use(number, refusedPeer("169.254.169.254"))).rejects.toMatchObject({
      ...{
        kind: "badEntry",
        message: expect.stringContaining("a server's address: ebb does not connect to") as string,
      },
    });
    expect(sessions).toEqual([]);
  });

  test("gets no credential without TLS, except on this machine", async () => {
    const { sessions, use } = open(undefined, "redis://127.0.0.1:1");
    const of = server({ secret: secretName });
    expect(await use(number, { of })).toBe(1);
    await expect(use(number, { of, peer: { host: "10.0.0.1", port: 6379 } })).rejects.toThrow(
      "a server's address: expected rediss, got redis://10.0.0.1:6379: plain redis is allowed only to this machine",
    );
    expect(sessions).toHaveLength(1);
  });

  test("gets the entry's certificate authority and name for TLS, and the credential's certificate", async () => {
    const seen: unknown[] = [];
    const { use } = open(({ tls }) => void seen.push(tls));
    await use(number, { of: { ...secretServer(), secret: undefined } });
    const endpoint = { url: new URL("rediss://a:1"), certificateAuthority: "CA", tlsServerName: "name" };
    await use(number, { of: { ...secretServer(), secret: undefined, endpoint } });
    await use(number);
    expect(seen).toEqual([
      { certificate: undefined },
      { certificateAuthority: "CA", tlsServerName: "name", certificate: undefined },
      undefined,
    ]);
  });
});

function viaServer() {
  return server({
    address: undefined,
    tls: undefined,
    via: { namespace: "shop", service: "redis", port: "6379" },
  } as unknown as TcpParameters);
}

describe("through the API server", () => {
  const stream = { destroyed: false };
  const connecting = (asked: unknown[]): Partial<Cluster> => ({
    connectService: (service) => (asked.push(service), Promise.resolve(stream as never)),
  });
  const opening = async ({ through, peer, signal }: Opening<Credential>) => void (await through?.(peer, signal));

  test("the service itself is named, or the member that the server named", async () => {
    const asked: unknown[] = [];
    const { use } = open(opening);
    const of = viaServer();
    await use(number, { of, api: connecting(asked) });
    await use(number, { of, api: connecting(asked), peer: { host: "10.0.0.1", port: 7 } });
    const service = { namespace: "shop", service: "redis", port: "6379", priority: 0 };
    expect(asked).toEqual([service, { ...service, member: { host: "10.0.0.1", port: 7 } }]);
  });

  test.each([
    ["unauthorized", "forbidden"],
    ["notFound", "notFound"],
  ] as const)("an API server's %s is %s: it is about no credential of the source", async (kind, expected) => {
    const { use } = open(opening);
    const cause = new Error("why");
    const api: Partial<Cluster> = { connectService: () => Promise.reject(new Fault(kind, "no", { cause })) };
    await expect(use(number, { of: viaServer(), api })).rejects.toMatchObject({
      ...{ kind: expected, message: "orders of redis: no", cause },
    });
  });
});
