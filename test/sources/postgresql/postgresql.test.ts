import { TLSSocket } from "node:tls";
import type { SourceReading } from "../../../lib/model/ports/sources";
import { openPostgresqlSource, rdsToken } from "../../../lib/sources/postgresql/postgresql";
import type { SourceNetwork } from "../../../lib/sources/network/network";
import { networkWith } from "../contract/contract";
import { password, secretName, startTcpServers, tcpCases, tcpContract, type TcpServers } from "../contract/tcp-cases";
import { refusalOf } from "../network/presigned";
import { contextOf } from "../read-context";
import { type ReceivedStatement, type Double, failure, int16, message, rows, serve } from "./double";

let servers: TcpServers;
let certificate: Double["certificate"];
const secrets = new Map<string, string>();
beforeAll(async () => {
  servers = Object.assign(await startTcpServers({ startsPlain: true }), { secrets });
  [{ server: certificate }] = await servers.certificates;
});
afterAll(() => servers.stop());

const keys = { accessKeyId: "AKIA", secretAccessKey: "s3cr3t-k3y" };
const open = (network: SourceNetwork) => openPostgresqlSource(network, () => Promise.resolve(keys));

let asked: ReceivedStatement[] = [];
beforeEach(() => {
  asked = [];
});

const answering = (answer: Double["answer"], login?: Double["login"]) =>
  serve({
    certificate,
    ...(login && { login }),
    answer(query) {
      asked.push(query);
      return answer(query);
    },
  });

const query = "SELECT count(*) FROM jobs";

describe("the contract", () => {
  const parameters = () => ({
    address: servers.address,
    database: "shop",
    user: "ebb",
    query,
    certificateAuthorityData: servers.ca,
  });
  const giving = (table: Parameters<typeof rows>[0]) => () => {
    servers.accept = answering(() => rows(table));
  };
  const cases = tcpCases(() => servers, {
    scheme: "postgresql",
    parameters: (address) => ({ address, database: "shop", query, user: "ebb" }),
    answering: (value, accepts) =>
      answering(
        () => rows([[String(value)]]),
        accepts &&
          ((given) => {
            if (given === accepts.password) return true;
            accepts.refused();
            return false;
          }),
      ),
    answeringWith: (bytes) =>
      answering(() =>
        bytes === "" ? undefined : Buffer.concat([message("D", int16(1), bytes.length + 9), Buffer.from(`${bytes}~`)]),
      ),
    refusal: /does not accept the credential of the source's secret \(28P01\)/,
  });
  const withSecret = (name: "authFailure" | "rotated") => () => {
    const given = cases[name];
    if ("notApplicable" in given) throw new Error("every kind has credentials");
    const made = given();
    return { ...made, parameters: { ...made.parameters, user: undefined } };
  };

  tcpContract({
    open,
    secrets,
    cases: {
      ...cases,
      authFailure: withSecret("authFailure"),
      rotated: withSecret("rotated"),
      missing: () => ({
        parameters: parameters(),
        before() {
          servers.accept = answering(() => failure("42P01", 'relation "jobs" does not exist'));
        },
        expected: { error: /there is no such table \(SQLSTATE 42P01\)/ },
      }),
      empty: () => ({
        parameters: parameters(),
        before: giving([[null]]),
        expected: { error: /the query gives NULL; set absent if that means a number/ },
      }),
      malformed: () => ({
        parameters: parameters(),
        before: giving([["12 jobs"]]),
        expected: { error: /expected a finite number from the query, got something else/ },
      }),
      many: () => ({
        parameters: parameters(),
        before: giving([["1"], ["2"]]),
        expected: { error: /expected one row, got 2: let the query say sum\(\)/ },
      }),
      hostile: () => ({
        parameters: {
          ...parameters(),
          query: "SELECT count(*) FROM jobs WHERE queue = ${queue} OR of = ${of} OR queue = ${queue}",
          vars: { queue: "'; DROP TABLE jobs; --", of: "${queue} $1 \r\n" },
        },
        before: giving([["4"]]),
        expected: { values: ["4"] },
        after() {
          expect(asked).toEqual([
            {
              text: "SELECT count(*) FROM jobs WHERE queue = $1 OR of = $2 OR queue = $1",
              bound: ["'; DROP TABLE jobs; --", "${queue} $1 \r\n"],
            },
          ]);
        },
      }),
    },
  });
});

const outcome = (reading: SourceReading) =>
  "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error;

async function read(
  parameters: Readonly<Record<string, unknown>>,
  source = open(networkWith(secrets)),
  signal?: AbortSignal,
) {
  const where = {
    address: servers.address,
    certificateAuthorityData: servers.ca,
    database: "shop",
    user: "ebb",
    query,
  };
  const given = { ...where, ...parameters };
  return outcome(await source.open(contextOf(signal && { signal })).read({ metricName: "jobs", parameters: given }));
}

test.each<[readonly (readonly (string | null)[])[], Readonly<Record<string, unknown>>, string]>([
  [[["0"]], {}, "0"],
  [[["12.5"]], {}, "12500m"],
  [[["-3"]], {}, "-3"],
  [[["1e3"]], {}, "1000"],
  [[["9200000000000000"]], {}, "9200000000000000"],
  [[["9223372036854775807"]], {}, "expected a number from -9.2e15 to 9.2e15, got 9223372036854776000"],
  [[[null]], { absent: 7 }, "7"],
  [[], { absent: 0 }, "0"],
  [[], {}, "the query gives no row; set absent"],
  [[[null]], { absent: "error" }, "the query gives NULL; set absent"],
  [[[]], {}, "expected one column, got none: it is no query"],
  [[["NaN"]], {}, "expected a finite number"],
  [[["Infinity"]], { absent: 0 }, "expected a finite number"],
  [[[""]], { absent: 0 }, "expected a finite number"],
  [[["1", "2"]], {}, "expected one column, got 2"],
])("%j with %j is %s", async (table, more, expected) => {
  servers.accept = answering(() => rows(table, table[0]?.length ?? 1));
  expect(await read(more)).toMatch(new RegExp(/^[\dm-]+$/.test(expected) ? `^(${expected})$` : expected));
});

test.each<[string, string]>([
  ["25006", "the query writes, and its transaction is read-only (SQLSTATE 25006)"],
  ["25P02", "the query ended its transaction (SQLSTATE 25P02)"],
  ["3D000", "there is no such database (SQLSTATE 3D000)"],
  ["42501", "the server does not allow this user the query (SQLSTATE 42501)"],
  ["42601", "the query has a syntax error, or more than one SQL statement (SQLSTATE 42601)"],
  ["42883", "there is no such function, or not for these types: cast a placeholder, as in ${of}::int (SQLSTATE 42883)"],
  ["42P01", "there is no such table (SQLSTATE 42P01)"],
  ["42P18", "the type of a placeholder is not known: cast it, as in ${of}::text (SQLSTATE 42P18)"],
  ["42703", "there is no such column (SQLSTATE 42703)"],
  ["42999", "the query is not right (SQLSTATE 42999)"],
  ["53300", "the server has no connection left (SQLSTATE 53300)"],
  ["57014", "the query took longer than its time (SQLSTATE 57014)"],
  ["57P03", "the server is starting or stopping (SQLSTATE 57P03)"],
  [
    "08P01",
    "the query does not have its placeholders as parameters (they are without quotes), or pgbouncer pools by statement: let it pool by transaction (SQLSTATE 08P01)",
  ],
  ["08006", "the connection failed (SQLSTATE 08006)"],
  ["22012", "a value does not fit where the query uses it (SQLSTATE 22012)"],
  ["XX000", "the server answers with an error (SQLSTATE XX000)"],
  ["4260", "the server answers with an error"],
  ["426011", "the server answers with an error"],
  ["42601\u001b[2J", "the server answers with an error"],
])("the server's error %j, whose text is not shown", async (code, expected) => {
  servers.accept = answering(() => failure(code, "hunter2"));
  expect(await read({})).toBe(`database "shop" of ${servers.address}: ${expected}`);
});

test.each<[string, string]>([
  ["28000", "the server does not accept this user without a secret (28000)"],
  ["3D000", "there is no such database (SQLSTATE 3D000)"],
  ["28\u001b[2J", "the server answers with an error"],
])("a login's error %j, whose text is not shown", async (code, expected) => {
  servers.accept = answering(
    () => rows([["1"]]),
    () => failure(code, "SASL hunter2"),
  );
  expect(await read({})).toBe(`database "shop" of ${servers.address}: ${expected}`);
});

test("a connection is kept for its database and user, and not for others", async () => {
  let opened = 0;
  servers.accept = (socket) => {
    opened += 1;
    answering(() => rows([["1"]]))(socket);
  };
  const source = open(networkWith());
  for (const database of ["a", "a", "b", "a"]) expect(await read({ database }, source)).toBe("1");
  expect(opened).toBe(2);
});

test("after an error, the connection and its transaction are gone", async () => {
  let opened = 0;
  servers.accept = (socket) => {
    opened += 1;
    answering(({ text }) => (text === "bad" ? failure("42601", "no") : rows([["1"]])))(socket);
  };
  const source = open(networkWith());
  expect(await read({ query: "bad" }, source)).toContain(
    "the query has a syntax error, or more than one SQL statement",
  );
  expect(await read({}, source)).toBe("1");
  expect(opened).toBe(2);
});

describe("the transaction of a query", () => {
  /** What each connection hears, by the order in which they were opened. */
  function hearing(around?: Double["around"]) {
    const heard: string[][] = [];
    servers.accept = (socket) => {
      const own: string[] = [];
      heard.push(own);
      serve({
        certificate,
        around(statement) {
          own.push(statement.split(/[ ;]/, 1)[0] ?? "");
          return around?.(statement);
        },
        answer({ text }) {
          own.push(text);
          return text === "bad" ? failure("42601", "no") : rows([["1"]]);
        },
      })(socket);
    };
    return heard;
  }

  test("is read-only, and ends before the reader gives up", async () => {
    const statements: string[] = [];
    servers.accept = serve({
      certificate,
      around: (statement) => void statements.push(statement),
      answer: () => rows([["1"]]),
    });
    expect(await read({ timeoutSeconds: 2 })).toBe("1");
    expect(statements).toEqual(["BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = 1600", "ROLLBACK"]);
  });

  test("is over before the connection is used again: left open, it holds locks and a snapshot until then", async () => {
    const heard = hearing();
    const source = open(networkWith());
    for (const _ of [1, 2, 3]) expect(await read({}, source)).toBe("1");
    const whole = ["BEGIN", query, "ROLLBACK"];
    expect(heard).toEqual([[...whole, ...whole, ...whole]]);
  });

  test.each<[string, Double["around"], string, string]>([
    ["does not begin", (said) => (/^BEGIN/.test(said) ? failure("25001", "no") : undefined), query, "25001"],
    ["does not end", (said) => (said === "ROLLBACK" ? failure("XX000", "no") : undefined), query, "XX000"],
    ["fails", undefined, "bad", "42601"],
  ])("that %s ends its connection", async (_how, around, text, code) => {
    let isOdd = true;
    const heard = hearing((statement) => (isOdd ? around?.(statement) : undefined));
    const source = open(networkWith());
    expect(await read({ query: text }, source)).toContain(code);
    isOdd = false;
    expect(await read({}, source)).toBe("1");
    expect(heard.map(([first]) => first)).toEqual(["BEGIN", "BEGIN"]);
    expect(heard[1]).toEqual(["BEGIN", query, "ROLLBACK"]);
  });

  test("of a reader that gives up ends its connection", async () => {
    const leaving = new AbortController();
    const heard: string[][] = [];
    servers.accept = (socket) => {
      const own: string[] = [];
      heard.push(own);
      answering(({ text }) => {
        own.push(text);
        if (text === query) return rows([["1"]]);
        leaving.abort(new Error("the slot's time is up"));
        return undefined;
      })(socket);
    };
    const source = open(networkWith());
    expect(await read({ query: "SELECT slow" }, source, leaving.signal)).toContain("the slot's time is up");
    expect(await read({}, source)).toBe("1");
    expect(heard).toEqual([["SELECT slow"], [query]]);
  });
});

test("1,000 queries use few connections", async () => {
  servers.accept = answering(({ bound }) => rows([[bound[0] ?? ""]]));
  const before = servers.connections();
  const reader = open(networkWith()).open(contextOf());
  const where = { address: servers.address, certificateAuthorityData: servers.ca, database: "shop", user: "ebb" };
  const parameters = { ...where, query: "SELECT ${n}::int", timeoutSeconds: 10 };
  const all = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) =>
      reader.read({ metricName: "jobs", parameters: { ...parameters, "var.n": String(n) } }),
    ),
  );
  expect(all.map(outcome)).toEqual(Array.from({ length: 1_000 }, (_, n) => String(n)));
  expect(servers.connections() - before).toBeLessThanOrEqual(20);
});

test("a password of this machine's environment is for no host that an entry names", async () => {
  const given: string[] = [];
  servers.accept = answering(
    () => rows([["1"]]),
    (text) => {
      given.push(text);
      return false;
    },
  );
  process.env.PGPASSWORD = "0f-th1s-mach1ne";
  try {
    expect(await read({})).toContain("the server does not accept this user without a secret (28P01)");
  } finally {
    delete process.env.PGPASSWORD;
  }
  expect(given).toEqual([""]);
});

describe("before TLS", () => {
  test.each<[string, string]>([
    ["N", "the server has no TLS"],
    ["S-and-more", "expected TLS, got something else"],
    ["E", "expected TLS, got something else"],
    ["HTTP/1.1 400 Bad Request", "expected TLS, got something else"],
  ])("a server that says %j gets no login", async (said, expected) => {
    const got: Buffer[] = [];
    servers.accept = (socket) => {
      socket.on("data", (chunk: Buffer) => {
        got.push(chunk);
        socket.write(said);
      });
    };
    expect(await read({})).toContain(expected);
    expect(Buffer.concat(got)).toHaveLength(8);
  });
});

test.each<[string, Buffer]>([
  ["a length below zero", Buffer.from([68, 255, 255, 255, 255])],
  ["a length beyond all", Buffer.from([68, 127, 255, 255, 255])],
  ["an unknown type", message("?", "x")],
  ["a row of other lengths", message("D", int16(3), 5)],
  ["a copy", message("G", int16(0), int16(0))],
])("a lying server that sends %s harms nothing else", async (_what, bytes) => {
  servers.accept = answering(() => bytes);
  expect(await read({})).toMatch(/^database "shop" of|unexpected/);
  servers.accept = answering(() => rows([["7"]]));
  expect(await read({})).toBe("7");
});

describe("a secret", () => {
  const bound = (credential: object) => {
    const where = { endpoint: `postgresql://${servers.address}`, certificateAuthorityData: servers.ca };
    secrets.set(secretName, JSON.stringify({ ...where, ...credential }));
  };

  /** RDS, which computes the signature of a login itself: of this user, in this region. */
  const rds = (region: string) =>
    answering(
      () => rows([["1"]]),
      (text) => {
        const verifier = { service: "rds-db", region, host: servers.address, keys, now: Date.now() };
        const { searchParams } = new URL(`https://${text}`);
        const isOfUser = searchParams.get("Action") === "connect" && searchParams.get("DBUser") === "ebb";
        return isOfUser && refusalOf(`https://${text}`, verifier) === undefined;
      },
    );

  test("with the user and the region of RDS logs in with a token, whose signature is right", async () => {
    servers.accept = rds("eu-west-1");
    bound({ username: "ebb", iam: "eu-west-1" });
    expect(await read({ secret: secretName, user: undefined })).toBe("1");
  });

  test("with another region is refused by RDS", async () => {
    servers.accept = rds("us-east-1");
    bound({ username: "ebb", iam: "eu-west-1" });
    expect(await read({ secret: secretName, user: undefined })).toContain("does not accept the credential");
  });

  test.each([
    [{ username: "ebb" }],
    [{ password }],
    [{ username: "ebb", password, iam: "eu-west-1" }],
    [{ username: "ebb", iam: "evil.example.com" }],
    [{ username: "ebb", certificate: "x" }],
  ])("%j is none", async (credential) => {
    bound(credential);
    expect(await read({ secret: secretName, user: undefined })).toContain('expected "username", and "password"');
  });

  test("of another server is not sent", async () => {
    const where = { endpoint: "postgresql://db.example.com:5432", certificateAuthorityData: servers.ca };
    secrets.set(secretName, JSON.stringify({ ...where, username: "ebb", password }));
    expect(await read({ secret: secretName, user: undefined })).toContain(
      "expected the one of secret ebb/prod/metrics",
    );
  });
});

test("a token is signed for this user at this host and port", async () => {
  const token = await rdsToken(
    { host: "db.example.com", port: 5432 },
    { username: "e b", region: "eu-west-1" },
    { credentials: () => Promise.resolve({ ...keys, sessionToken: "a+b" }), now: Date.UTC(2026, 0, 2) },
  );
  const url = new URL(`https://${token}`);
  expect(url.host).toBe("db.example.com:5432");
  const own = { ...keys, sessionToken: "a+b" };
  const verifier = { service: "rds-db", region: "eu-west-1", host: url.host, keys: own, now: Date.UTC(2026, 0, 2) };
  expect(refusalOf(url.href, verifier)).toBeUndefined();
  expect(refusalOf(url.href.replace("e%20b", "root"), verifier)).toBe("another signature");
  const odd = await rdsToken(
    { host: "db.example.com", port: 5432 },
    { username: "it's (a)*!", region: "eu-west-1" },
    { credentials: () => Promise.resolve(own), now: Date.UTC(2026, 0, 2) },
  );
  expect(odd).toContain("DBUser=it%27s%20%28a%29%2A%21&");
  expect(refusalOf(`https://${odd}`, verifier)).toBeUndefined();
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    Action: "connect",
    DBUser: "e b",
    "X-Amz-Credential": "AKIA/20260102/eu-west-1/rds-db/aws4_request",
    "X-Amz-Expires": "900",
    "X-Amz-Security-Token": "a+b",
    "X-Amz-SignedHeaders": "host",
  });
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ query: undefined }, "parameter query: expected one SQL query"],
  [{ database: undefined }, "parameter database: expected a name"],
  [{ user: undefined }, "parameter user: expected a user without a password, or a secret with the user"],
  [{ secret: secretName }, "parameter user: expected a user without a password, or a secret with the user"],
  [{ query: "SELECT $1" }, "parameter query: expected placeholders such as ${queue} in place of $1"],
  [{ query: "SELECT '$1', $2" }, "parameter query: expected placeholders such as ${queue} in place of $1"],
  [{ query: "SELECT ${n}" }, "parameter query: expected a value for ${n}: set the label var.n"],
  [{ "var.n": "1" }, "parameter var.n: expected a placeholder ${n} in query"],
  [{ address: "a:1,b:2" }, "parameter address: expected one host:port"],
  [{ address: "db.example.com:1", tls: false, user: undefined, secret: secretName }, "is allowed only to this machine"],
])("what cannot be read: %j", async (parameters, expected) => {
  expect(await read(parameters)).toContain(expected);
});

test("bytes that come before the library listens end no process", async () => {
  servers.accept = (plain) => {
    plain.once("data", () => {
      plain.write("S");
      const socket = new TLSSocket(plain, { isServer: true, ...certificate });
      socket.on("error", () => undefined);
      socket.once("secure", () => socket.write(message("D", int16(3), 5)));
    });
  };
  expect(await read({})).toMatch(/^database "shop" of/);
});
