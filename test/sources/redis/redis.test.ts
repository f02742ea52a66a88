import type { SourceReading } from "../../../lib/model/ports/sources";
import { openRedisSource } from "../../../lib/sources/redis/redis";
import { networkWith } from "../contract/contract";
import { secretName, startTcpServers, tcpCases, tcpContract, type TcpServers } from "../contract/tcp-cases";
import { contextOf } from "../read-context";
import { type Answer, bulk, list, serve } from "./resp";

let servers: TcpServers;
const secrets = new Map<string, string>();
beforeAll(async () => {
  servers = Object.assign(await startTcpServers(), { secrets });
});
afterAll(() => servers.stop());

/** What the server got, since the last read. */
let commands: (readonly string[])[] = [];
beforeEach(() => {
  commands = [];
});

const noted =
  (answer: Answer): Answer =>
  (command, socket) => {
    commands.push(command);
    return answer(command, socket);
  };

const length = (reply: string) =>
  serve(noted(([name = ""]) => (name === "TYPE" ? "+list\r\n" : name === "LLEN" ? reply : "-ERR unknown\r\n")));

describe("the contract", () => {
  const parameters = () => ({
    address: servers.address,
    key: "jobs",
    certificateAuthorityData: servers.ca,
  });
  const answering = (reply: string) => () => {
    servers.accept = length(reply);
  };

  tcpContract({
    open: openRedisSource,
    secrets,
    cases: {
      ...tcpCases(() => servers, {
        scheme: "rediss",
        parameters: (address) => ({ address, key: "jobs" }),
        answering: (value, accepts) =>
          serve(([name, ...rest]) => {
            if (name !== "AUTH") return name === "TYPE" ? "+list\r\n" : `:${value}\r\n`;
            if (rest.at(-1) === accepts?.password) return "+OK\r\n";
            accepts?.refused();
            return `-WRONGPASS no such ${rest.join(" ")}\r\n`;
          }),
        answeringWith: (bytes) =>
          serve(([name]) => (name === "TYPE" ? "+list\r\n" : bytes && `$${bytes.length + 1}\r\n${bytes}`)),
        refusal: /does not accept the credential of the source's secret \(WRONGPASS\)/,
      }),
      missing: () => ({
        parameters: { ...parameters(), key: undefined, stream: "orders" },
        before() {
          servers.accept = serve(([name]) => (name === "TYPE" ? "+none\r\n" : ":0\r\n"));
        },
        expected: { error: /there is no stream "orders"; set absent if that means a number/ },
      }),
      empty: () => ({
        parameters: parameters(),
        before: answering("$-1\r\n"),
        expected: { error: /expected a count/ },
      }),
      malformed: () => ({
        parameters: parameters(),
        before: answering("HTTP/1.1 400 Bad Request\r\n\r\n"),
        expected: { error: /the connection broke|Protocol/i },
      }),
      many: () => ({
        parameters: parameters(),
        before: answering("*2\r\n:1\r\n:2\r\n"),
        expected: { error: /expected a count/ },
      }),
      hostile: () => ({
        parameters: { ...parameters(), key: "bull:${queue}:wait", "var.queue": "a\r\n*1\r\n$8\r\nFLUSHALL\r\n${key}" },
        before: answering(":4\r\n"),
        expected: { values: ["4"] },
        after() {
          const key = "bull:a\r\n*1\r\n$8\r\nFLUSHALL\r\n${key}:wait";
          expect(commands).toEqual([
            ["TYPE", key],
            ["LLEN", key],
          ]);
        },
      }),
    },
  });
});

/** The value, or the error. */
const outcome = (reading: SourceReading) =>
  "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error;

async function read(parameters: Readonly<Record<string, unknown>>, source = openRedisSource(networkWith(secrets))) {
  const where = { address: servers.address, certificateAuthorityData: servers.ca, timeoutSeconds: 1 };
  return outcome(await source.open(contextOf()).read({ metricName: "jobs", parameters: { ...where, ...parameters } }));
}

const group = (name: string, pending: number, lag: string) =>
  list([bulk("name"), bulk(name), bulk("pending"), `:${pending}\r\n`, bulk("lag"), lag]);
const streamInfo = (length: number, lastId: string) =>
  list([bulk("length"), `:${length}\r\n`, bulk("last-generated-id"), bulk(lastId)]);
const groups = list([
  group("mailers", 3, ":4\r\n"),
  group("blind", 1, "$-1\r\n"),
  list([bulk("name"), bulk("old"), bulk("pending"), ":2\r\n"]),
]);

/** A server with a key of each type. */
const stocked = serve(
  noted(([name = "", key = "", stream = ""]) => {
    const types: Readonly<Record<string, string>> = {
      jobs: "list",
      ids: "set",
      due: "zset",
      byId: "hash",
      working: "list",
      orders: "stream",
      emptied: "stream",
      text: "string",
    };
    const sizes: Readonly<Record<string, string>> = { LLEN: "5", SCARD: "6", ZCARD: "7", HLEN: "8" };
    const type = Object.hasOwn(types, key) ? types[key] : "none";
    if (name === "TYPE") return `+${type}\r\n`;
    if (name === "XINFO" && key === "STREAM") return streamInfo(9, "9-0");
    if (name === "XINFO") return stream === "orders" ? groups : "-ERR no such key\r\n";
    if (name === "XLEN") return `:${key === "orders" ? 9 : 0}\r\n`;
    if (type === "none") return ":0\r\n";
    if (type === "stream" || type === "string")
      return "-WRONGTYPE Operation against a key with the wrong kind of value\r\n";
    return name === "LLEN" && type !== "list" ? "-WRONGTYPE no\r\n" : `:${sizes[name]}\r\n`;
  }),
);

describe("what counts", () => {
  beforeEach(() => {
    servers.accept = stocked;
  });

  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{ key: "jobs" }, "5"],
    [{ key: "jobs", type: "list" }, "5"],
    [{ key: "ids" }, "6"],
    [{ key: "due" }, "7"],
    [{ key: "due", type: "sortedSet" }, "7"],
    [{ key: "byId" }, "8"],
    [{ key: "jobs", processing: "working" }, "10"],
    [{ key: "none", processing: "working" }, "5"],
    [{ key: "none" }, "0"],
    [{ key: "none", type: "list" }, "0"],
    [{ key: "constructor" }, "0"],
    [{ key: "none", absent: 3 }, "3"],
    [{ key: "none", absent: "error" }, 'there is no key "none"; set absent if that means a number'],
    [{ key: "ids", type: "list" }, "the key holds another type (WRONGTYPE)"],
    [{ key: "text" }, "expected the key to be a list, set, sorted set or hash, got string"],
    [{ key: "orders" }, "got stream; name a stream with the parameter stream"],
    [{ stream: "orders" }, "9"],
    [{ stream: "emptied" }, "0"],
    [{ stream: "none" }, 'there is no stream "none"'],
    [{ stream: "none", absent: 0 }, "0"],
    [{ stream: "orders", group: "mailers" }, "7"],
    [{ stream: "orders", group: "mailers", count: "pending" }, "3"],
    [{ stream: "orders", group: "mailers", count: "lag" }, "4"],
    [{ stream: "orders", group: "blind", count: "pending" }, "1"],
    [{ stream: "orders", group: "blind" }, "the server cannot tell the group's lag"],
    [{ stream: "orders", group: "old" }, "the server does not report a lag, which Redis does from version 7.0"],
    [{ stream: "orders", group: "nobody", count: "pending" }, 'there is no group "nobody" of the stream; set absent'],
    [{ stream: "orders", group: "nobody" }, "9"],
    [{ stream: "none", group: "mailers" }, 'there is no stream "none"'],
  ])("%j: %s", async (parameters, expected) => {
    const read_ = await read(parameters);
    if (/^\d+$/.test(expected)) expect(read_).toBe(expected);
    else expect(read_).toContain(expected);
  });

  test("a reading whose lag is unknown says how much work there is at least", async () => {
    const where = { address: servers.address, certificateAuthorityData: servers.ca, stream: "orders", group: "blind" };
    const reader = openRedisSource(networkWith(secrets)).open(contextOf());
    const found = await reader.read({ metricName: "jobs", parameters: where });
    expect(found).toMatchObject({ atLeast: 1 });
    expect("error" in found && found.error).toMatch(
      /^"orders" for blind of .*: the server cannot tell the group's lag/,
    );
  });

  describe("a stream that was trimmed", () => {
    const trimmed = (lag: string, delivered: string, answerToStream: string) => {
      const fields = [bulk("name"), bulk("g"), bulk("pending"), ":2\r\n", bulk("last-delivered-id"), bulk(delivered)];
      servers.accept = serve(
        noted(([name, part]) => {
          if (name === "XLEN") return ":10\r\n";
          return part === "STREAM" ? answerToStream : list([list([...fields, bulk("lag"), lag])]);
        }),
      );
      return async () => (await read({ stream: "capped", group: "g", count: "lag" })) as unknown;
    };

    test.each<[string, string, string, string, string]>([
      ["whose group got its last entry has no lag", ":20\r\n", "60-0", streamInfo(10, "60-0"), "0"],
      ["has no more lag than entries", ":20\r\n", "40-0", streamInfo(10, "60-0"), "10"],
      ["may have less", ":4\r\n", "56-0", streamInfo(10, "60-0"), "4"],
      [
        "whose server cannot tell the lag, has none after its last entry",
        "$-1\r\n",
        "60-0",
        streamInfo(3, "60-0"),
        "0",
      ],
      ["whose user may not ask for more, has no more lag than entries", ":20\r\n", "60-0", "-NOPERM no\r\n", "10"],
      ["with another answer, has no more lag than entries", ":20\r\n", "60-0", "-ERR unknown subcommand\r\n", "10"],
    ])("%s", async (...[, lag, delivered, answerToStream, expected]) => {
      expect(await trimmed(lag, delivered, answerToStream)()).toBe(expected);
    });

    test("says why its lag may be too high", async () => {
      trimmed(":20\r\n", "60-0", "-NOPERM no\r\n");
      const where = { address: servers.address, certificateAuthorityData: servers.ca };
      const parameters = { ...where, stream: "capped", group: "g" };
      const reading = await openRedisSource(networkWith()).open(contextOf()).read({ metricName: "jobs", parameters });
      expect(reading).toMatchObject({
        items: [{ value: "12", metricLabels: { warnings: expect.stringContaining("XINFO STREAM failed") as string } }],
      });
    });

    test("without lag, nothing more is asked", async () => {
      expect(await trimmed(":0\r\n", "60-0", "-ERR no\r\n")()).toBe("0");
      expect(commands).toHaveLength(1);
    });

    test("a lag that nobody knows stays unknown", async () => {
      expect(await trimmed("$-1\r\n", "40-0", streamInfo(3, "60-0"))()).toContain("cannot tell the group's lag");
      expect(await trimmed("$-1\r\n", "40-0", "-NOPERM no\r\n")()).toContain("cannot tell the group's lag");
    });
  });

  test("queries of one run that ask the same share their answer", async () => {
    const reader = openRedisSource(networkWith()).open(contextOf());
    const parameters = { address: servers.address, certificateAuthorityData: servers.ca, key: "jobs", type: "list" };
    const both = await Promise.all([1, 2].map(() => reader.read({ metricName: "jobs", parameters })));
    expect(both.map(outcome)).toEqual(["5", "5"]);
    expect(commands).toHaveLength(1);
  });

  test("1,000 keys use few connections", async () => {
    const before = servers.connections();
    const reader = openRedisSource(networkWith()).open(contextOf());
    const parameters = {
      address: servers.address,
      certificateAuthorityData: servers.ca,
      type: "list",
      timeoutSeconds: 10,
    };
    const all = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        reader.read({ metricName: "jobs", parameters: { ...parameters, key: `jobs-${index}` } }),
      ),
    );
    expect(new Set(all.map(outcome))).toEqual(new Set(["0"]));
    expect(servers.connections() - before).toBeLessThanOrEqual(20);
  });

  test("one connection has the database of each query", async () => {
    const source = openRedisSource(networkWith());
    servers.accept = serve(noted(([name]) => (name === "SELECT" ? "+OK\r\n" : ":1\r\n")));
    for (const database of [0, 3, 3, 0]) expect(await read({ key: "jobs", type: "list", database }, source)).toBe("1");
    expect(commands.map((command) => command.join(" "))).toEqual([
      "LLEN jobs",
      "SELECT 3",
      "LLEN jobs",
      "LLEN jobs",
      "SELECT 0",
      "LLEN jobs",
    ]);
  });

  test("a connection that died between two slots is replaced", async () => {
    const source = openRedisSource(networkWith());
    let opened = 0;
    servers.accept = (socket) => {
      const connection = (opened += 1);
      let calls = 0;
      serve(() => {
        calls += 1;
        if (connection === 1 && calls === 2) socket.destroy();
        return `:${connection}\r\n`;
      })(socket);
    };
    expect(await read({ key: "jobs", type: "list" }, source)).toBe("1");
    expect(await read({ key: "jobs", type: "list" }, source)).toBe("2");
  });
});

test.each<[string, string]>([
  ["NOAUTH Authentication required.", "the server asks for a credential: name a secret (NOAUTH)"],
  ["WRONGPASS invalid", "the server does not accept the credential of the source's secret (WRONGPASS)"],
  ["ASK 3999 127.0.0.1:1", "the server is a member of a cluster: set topology to cluster (ASK)"],
  ["NOPERM this user has no permissions", "the server does not allow this user the command or the key (NOPERM)"],
  ["MOVED 3999 127.0.0.1:1", "the server is a member of a cluster: set topology to cluster (MOVED)"],
  ["LOADING Redis is loading", "the server answers with an error: LOADING Redis is loading"],
  ["ERR max number of\u001b[31m clients", "the server answers with an error: ERR max number of [31m clients"],
  ["ERR", "the server answers with an error: ERR"],
  ["lower case", "the server answers with an error: ERR lower case"],
  [`MISCONF ${"x".repeat(100_000)}`, `the server answers with an error: MISCONF ${"x".repeat(292)}`],
])("the server's error %s", async (text, expected) => {
  servers.accept = serve(() => `-${text}\r\n`);
  expect(await read({ key: "jobs" })).toBe(`"jobs" of ${servers.address}: ${expected}`);
});

test.each(["+odd type\r\n", "+\r\n", `+${"x".repeat(41)}\r\n`, ":5\r\n"])("a type that is none: %j", async (reply) => {
  servers.accept = serve(() => reply);
  expect(await read({ key: "jobs" })).toContain(
    "expected the key to be a list, set, sorted set or hash, got something else",
  );
});

test.each(["+groups\r\n", ":5\r\n", "*1\r\n:5\r\n", list([list([bulk("name"), bulk("mailers")])])])(
  "groups that are none: %j",
  async (reply) => {
    servers.accept = serve(() => reply);
    expect(await read({ stream: "orders", group: "mailers" })).toContain("expected a count, got something else");
  },
);

test.each<[string, string]>([
  ["more than was asked", ":1\r\n:2\r\n:3\r\n"],
  ["a list that never ends", "*2147483647\r\n"],
  ["a list longer than memory", "*99999999999999\r\n"],
  ["lists within lists", "*1\r\n".repeat(100_000)],
  ["a text of any length", "$9999999999\r\n"],
  ["a negative number", ":-5\r\n"],
  ["a number beyond all", ":99999999999999999999\r\n"],
  ["half a number", ":12"],
  ["RESP3", "%1\r\n+a\r\n:1\r\n"],
  ["a push", ">2\r\n+message\r\n:1\r\n"],
])("a lying server that sends %s harms nothing else", async (_what, bytes) => {
  const source = openRedisSource(networkWith());
  servers.accept = serve(() => bytes);
  const first = await read({ key: "jobs", type: "list" }, source);
  expect(first).toMatch(/^1$|^"jobs" of 127/);
  servers.accept = serve(() => ":7\r\n");
  expect(await read({ key: "other", type: "list", database: 0 }, source)).toMatch(/^[17]$|^"other" of 127/);
  expect(await read({ key: "third", type: "list" }, openRedisSource(networkWith()))).toBe("7");
});

describe("a cluster", () => {
  let other: TcpServers;
  beforeEach(async () => {
    other = await startTcpServers({ certificates: servers.certificates });
  });
  afterEach(() => other.stop());

  const cluster = { topology: "cluster", type: "list", key: "jobs" };
  test("sends the query to the member that has the key, and remembers it", async () => {
    servers.accept = serve(noted(() => `-MOVED 3999 ${other.address}\r\n`));
    other.accept = serve(noted(() => ":4\r\n"));
    const source = openRedisSource(networkWith());
    expect(await read({ ...cluster }, source)).toBe("4");
    expect(await read({ ...cluster }, source)).toBe("4");
    expect(commands).toHaveLength(3);
  });

  test("asks where a slot is moving to, once", async () => {
    servers.accept = serve(() => `-ASK 3999 ${other.address}\r\n`);
    let isAsking = false;
    other.accept = serve(([name]) => {
      if (name === "ASKING") isAsking = true;
      return name === "ASKING" ? "+OK\r\n" : isAsking ? ":6\r\n" : `-MOVED 3999 ${servers.address}\r\n`;
    });
    expect(await read({ ...cluster })).toBe("6");
  });

  test("remembers the member by the stream, not by the command", async () => {
    const moved = (stream: string) => (stream === "there" ? `-MOVED 3999 ${other.address}\r\n` : undefined);
    const answerTo = (part: string) => (part === "STREAM" ? streamInfo(9, "9-0") : groups);
    servers.accept = serve(noted(([, part = "", stream = ""]) => moved(stream) ?? answerTo(part)));
    other.accept = serve(noted(([, part = ""]) => answerTo(part)));
    const source = openRedisSource(networkWith());
    const { key: _key, type: _type, ...where } = cluster;
    for (const stream of ["there", "here", "there", "here"])
      expect(await read({ ...where, stream, group: "mailers" }, source)).toBe("7");
    expect(commands.filter(([, part]) => part === "GROUPS").map(([, , stream]) => stream)).toEqual([
      ...["there", "there", "here", "there", "here"],
    ]);
    expect(commands).toHaveLength(9);
  });

  test.each(["MOVED", "MOVED 3999", "MOVED 3999 10.0.0.1", "ASK 3999 10.0.0.1:port", "MOVED x 10.0.0.1:1"])(
    "does not follow %j, which names no member",
    async (text) => {
      servers.accept = serve(noted(() => `-${text}\r\n`));
      expect(await read({ ...cluster })).toContain(`(${text.split(" ", 1)[0]})`);
      expect(commands).toHaveLength(1);
    },
  );

  test.each(["", "?"])("stays at the member that names itself %j", async (host) => {
    const [, port = ""] = servers.address.split(":");
    let isMoved = false;
    servers.accept = serve(() => {
      const answer = isMoved ? ":8\r\n" : `-MOVED 3999 ${host}:${port}\r\n`;
      isMoved = true;
      return answer;
    });
    expect(await read({ ...cluster })).toBe("8");
  });

  test("forgets a member whose connection is refused, and asks the seeds again", async () => {
    servers.accept = serve(noted(() => `-MOVED 3999 ${other.address}\r\n`));
    other.accept = serve(noted(() => ":4\r\n"));
    const source = openRedisSource(networkWith());
    expect(await read({ ...cluster }, source)).toBe("4");
    await other.stop();
    servers.accept = serve(noted(() => ":5\r\n"));
    servers.hangUp();
    expect(await read({ ...cluster }, source)).toBe("5");
    other = await startTcpServers({ certificates: servers.certificates });
  });

  test("ends where members send each other the query", async () => {
    servers.accept = serve(() => `-MOVED 3999 ${servers.address}\r\n`);
    expect(await read({ ...cluster })).toContain("(MOVED)");
  });

  test("asks the next seed when one is gone", async () => {
    servers.accept = serve(() => ":2\r\n");
    expect(await read({ ...cluster, address: `127.0.0.1:1,${servers.address}` })).toBe("2");
  });

  test.each([
    ["169.254.169.254:80", "ebb does not connect to a link-local address"],
    ["evil.example.com:6379", "expected a host that the deployment's sourceHosts allows"],
  ])("does not follow a member to %s", async (address, expected) => {
    servers.accept = serve(() => `-MOVED 3999 ${address}\r\n`);
    const addresses = { loopback: true, allowedHosts: [], onlyHosts: ["127.0.0.1", "169.254.169.254"] };
    const source = openRedisSource({ ...networkWith(), addresses });
    expect(await read({ ...cluster }, source)).toContain(expected);
  });
});

describe("sentinels", () => {
  const sentinel = { topology: "sentinel", master: "main", key: "jobs", type: "list" };

  test("name the master, once for all queries of a run", async () => {
    const [, port = ""] = servers.address.split(":");
    servers.accept = serve(noted(([name]) => (name === "SENTINEL" ? list([bulk("127.0.0.1"), bulk(port)]) : ":3\r\n")));
    const reader = openRedisSource(networkWith()).open(contextOf());
    const where = { ...sentinel, address: `127.0.0.1:1,${servers.address}`, certificateAuthorityData: servers.ca };
    const readings = await Promise.all(
      ["a", "b"].map((key) => reader.read({ metricName: "jobs", parameters: { ...where, key } })),
    );
    expect(readings.map(outcome)).toEqual(["3", "3"]);
    expect(commands.filter(([name]) => name === "SENTINEL")).toHaveLength(1);
  });

  test.each<[string, string]>([
    ["*-1\r\n", "knows no master main"],
    [":5\r\n", "expected the master's address from the sentinel, got something else"],
    [list([bulk(""), bulk("80")]), "expected the master's address from the sentinel, got something else"],
    [list([bulk("127.0.0.1"), bulk("port")]), "expected the master's address from the sentinel, got something else"],
    [list([bulk("127.0.0.1"), bulk("123456")]), "expected the master's address from the sentinel, got something else"],
    ["-NOAUTH Authentication required.\r\n", "the server asks for a credential: name a secret (NOAUTH)"],
    ["*1\r\n:1\r\n", "expected the master's address from the sentinel, got something else"],
    [list([bulk("169.254.169.254"), bulk("80")]), "ebb does not connect to a link-local address"],
  ])("answer %j", async (reply, expected) => {
    servers.accept = serve(() => reply);
    expect(await read(sentinel)).toContain(expected);
  });

  test("have logins of their own", async () => {
    const [, port = ""] = servers.address.split(":");
    secrets.set(
      secretName,
      JSON.stringify({
        endpoint: `rediss://${servers.address}`,
        certificateAuthorityData: servers.ca,
        password: "data-passw0rd",
        sentinelUsername: "watch",
        sentinelPassword: "sentinel-passw0rd",
      }),
    );
    servers.accept = serve(
      noted(([name]) => {
        if (name === "AUTH") return "+OK\r\n";
        return name === "SENTINEL" ? list([bulk("127.0.0.1"), bulk(port)]) : ":3\r\n";
      }),
    );
    expect(await read({ ...sentinel, secret: secretName })).toBe("3");
    expect(commands.map((command) => command.join(" "))).toEqual([
      "AUTH watch sentinel-passw0rd",
      "SENTINEL GET-MASTER-ADDR-BY-NAME main",
      "AUTH data-passw0rd",
      "LLEN jobs",
    ]);
  });
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{}, "parameter key: expected key or stream, and not both"],
  [{ key: "a", stream: "b" }, "parameter key: expected key or stream, and not both"],
  [{ key: "a", group: "g" }, "parameter group: expected a stream that the group reads"],
  [{ key: "a", count: "lag" }, "parameter count: expected a stream"],
  [{ stream: "a", type: "list" }, "parameter type: expected a key of that type"],
  [{ stream: "a", processing: "b" }, "parameter processing: expected a key beside it"],
  [{ stream: "a", count: "lag" }, "parameter count: expected length without a group"],
  [{ stream: "a", group: "g", count: "length" }, "parameter count: expected backlog, pending or lag of a group"],
  [{ key: "a", address: "redis.example.com" }, "parameter address: expected host:port"],
  [{ key: "a", address: "a:1,b:2" }, "parameter topology: expected cluster or sentinel with several addresses"],
  [{ key: "a", topology: "cluster", database: 1 }, "parameter database: expected none with a cluster"],
  [{ key: "a", topology: "sentinel" }, "parameter master: expected the master's name"],
  [{ key: "a", master: "main" }, "parameter master: expected the master's name with topology sentinel"],
  [
    { key: "a", address: "h.example.com:1", tls: false, secret: "ebb/prod/x" },
    "plain redis is allowed only to this machine",
  ],
  [{ key: "a", secret: "ebb/other/x" }, "a cluster uses only secrets named for it"],
  [{ key: "a:${q}" }, "parameter key: expected a value for ${q}: set the label var.q"],
  [{ key: "a", "var.q": "1" }, "parameter var.q: expected a placeholder ${q} in key"],
])("what cannot be read: %j", async (parameters, expected) => {
  expect(await read(parameters)).toContain(expected);
});
