import { openRedisSource } from "../../lib/sources/redis/redis";
import { base64, makeCertificates } from "../cluster/certificates";
import { networkWith, sourceContract } from "../sources/contract/contract";
import { imported } from "../sources/imported";
import { contextOf } from "../sources/read-context";
import { eventually } from "./servers/eventually";
import { type RedisServer, startRedis } from "./servers/redis";
import { startScaledConsumer } from "./servers/scaled-consumer";

/** The source against real servers: alone with TLS and users, a cluster, and a master that a sentinel watches. */
let redis: RedisServer;
let otherCa: string;
const secrets = new Map<string, string>();
const secretName = "ebb/prod/redis";
const password = "r3ad3r-0f-r3dis";
const ending: (() => unknown)[] = [];

async function start(...[options]: Parameters<typeof startRedis>): Promise<RedisServer> {
  const server = await startRedis(options);
  ending.push(() => server.stop());
  return server;
}

const secretOf = (text: string) =>
  JSON.stringify({
    endpoint: `rediss://${redis.address}`,
    certificateAuthorityData: redis.certificateAuthorityData,
    username: "ebb",
    password: text,
  });

/** As docs/sources/redis.md says. */
const grant = (text: string) =>
  redis.cli(
    ...["ACL", "SETUSER", "ebb", "reset", "on", `>${text}`, "~jobs*", "~orders", "~{none}*", "~none"],
    ...["+type", "+llen", "+scard", "+zcard", "+hlen", "+xlen", "+xinfo|groups", "+xinfo|stream", "+select"],
  );

beforeAll(async () => {
  redis = await start({ name: "redis", withTls: true });
  otherCa = base64((await makeCertificates()).ca);
  await grant(password);
  secrets.set(secretName, secretOf(password));
  await redis.cli("RPUSH", "jobs", "a", "b", "c");
  await redis.cli("RPUSH", "jobs:working", "d");
  await redis.cli("SADD", "jobs:ids", "1", "2");
  await redis.cli("ZADD", "jobs:due", "1", "a");
  await redis.cli("HSET", "jobs:by-id", "1", "a", "2", "b", "3", "c", "4", "d");
  await redis.cli("SET", "jobs:text", "5");
  await redis.cli("XGROUP", "CREATE", "orders", "mailers", "0", "MKSTREAM");
  for (let sent = 0; sent < 7; sent += 1) await redis.cli("XADD", "orders", "*", "n", String(sent));
  await redis.cli("XREADGROUP", "GROUP", "mailers", "one", "COUNT", "3", "STREAMS", "orders", ">");
});

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

const parameters = (more: Readonly<Record<string, unknown>> = {}) => ({
  address: redis.address,
  certificateAuthorityData: redis.certificateAuthorityData,
  secret: secretName,
  ...more,
});

async function read(given: Readonly<Record<string, unknown>>, source = openRedisSource(networkWith(secrets))) {
  const reading = await source.open(contextOf()).read({ metricName: "jobs", parameters: given });
  return "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error;
}

test("a trigger of KEDA, imported, reads what redis-cli counts", async () => {
  const readImported = (type: string, metadata: Readonly<Record<string, string>>) =>
    read(parameters(imported(type, { address: redis.address, enableTLS: "true", ...metadata }).parameters));
  expect(await readImported("redis", { listName: "jobs" })).toBe(await redis.cli("LLEN", "jobs"));
  const stream = { stream: "orders", consumerGroup: "mailers" };
  const pending = (await redis.cli("XPENDING", "orders", "mailers")).split("\n")[0];
  expect(await readImported("redis-streams", { ...stream, pendingEntriesCount: "5" })).toBe(pending);
  expect(await readImported("redis-streams", { ...stream, lagCount: "5" })).toBe("4");
});

describe("the contract", () => {
  afterAll(() => secrets.set(secretName, secretOf(password)));
  const onlyDouble = { notApplicable: "a healthy server does not answer so: the double does" };
  sourceContract({
    open: openRedisSource,
    secrets,
    cases: {
      found: () => ({
        parameters: parameters({ key: "jobs" }),
        expected: { values: ["3"] },
        hangUp: async () => void (await redis.cli("CLIENT", "KILL", "USER", "ebb")),
      }),
      missing: () => ({ parameters: parameters({ stream: "none" }), expected: { error: /there is no stream "none"/ } }),
      hostile: () => ({
        parameters: parameters({ key: "jobs${of}", "var.of": "\r\n*1\r\n$8\r\nFLUSHALL\r\n" }),
        expected: { values: ["0"] },
        after: async () => expect(await redis.cli("EXISTS", "jobs")).toBe("1"),
      }),
      refused: () => ({
        parameters: parameters({ key: "jobs", address: "127.0.0.1:1", secret: undefined }),
        expected: { error: /connection refused/ },
      }),
      authFailure: () => ({
        parameters: parameters({ key: "jobs" }),
        before: () => void secrets.set(secretName, secretOf("wr0ng-0n3")),
        expected: { error: /does not accept the credential of the source's secret \(WRONGPASS\)/ },
        after: () => void secrets.set(secretName, secretOf(password)),
      }),
      rotated: () => ({
        parameters: parameters({ key: "jobs" }),
        async before() {
          await grant("r0tat3d-0n3");
          secrets.set(secretName, secretOf("r0tat3d-0n3"));
        },
        expected: { values: ["3"] },
        async after() {
          await grant(password);
          secrets.set(secretName, secretOf(password));
        },
      }),
      wrongCa: () => ({
        parameters: parameters({ key: "jobs", secret: undefined, certificateAuthorityData: otherCa }),
        expected: { error: /not signed by a trusted CA/ },
      }),
      wrongHost: () => ({
        parameters: parameters({ key: "jobs", secret: undefined, tlsServerName: "redis.example.com" }),
        expected: { error: /its certificate is for another name/ },
      }),
      slow: onlyDouble,
      empty: onlyDouble,
      malformed: onlyDouble,
      huge: onlyDouble,
      many: onlyDouble,
      dropped: onlyDouble,
    },
  });
});

describe.each(["redisServer", "valkeyServer"] as const)("%s", (program) => {
  test("a stream that is trimmed while its group lags has no lag after the group read all that is left", async () => {
    const server = await start({ name: program, program });
    const add = async (from: number, to: number) => {
      for (let id = from; id <= to; id += 1) await server.cli("XADD", "capped", "MAXLEN", "10", `${id}-0`, "a", "1");
    };
    const readAll = () => server.cli("XREADGROUP", "GROUP", "g", "c", "COUNT", "100", "STREAMS", "capped", ">");
    const stream = { address: server.address, tls: false, stream: "capped", group: "g" };
    await server.cli("XGROUP", "CREATE", "capped", "g", "0", "MKSTREAM");
    await add(1, 30);
    await readAll();
    await add(31, 60);
    expect(await read({ ...stream, count: "lag" })).toBe("10");
    await readAll();
    await server.cli("XACK", "capped", "g", ...Array.from({ length: 60 }, (_, index) => `${index + 1}-0`));
    expect(await read(stream)).toBe("0");
    // Of three. The server itself says 23.
    await add(61, 63);
    expect(await server.cli("XINFO", "GROUPS", "capped")).toMatch(/^lag\n23$/m);
    expect(await read({ ...stream, count: "lag" })).toBe("10");
    await readAll();
    expect(await read({ ...stream, count: "lag" })).toBe("0");
  });

  /** Of 12 entries, `1-0` to `12-0`, and a group that has read 9. `lag`: what the server says. */
  test.each<[string, readonly string[], lag: string, read: "unread" | "unknown"]>([
    ["the last entries were deleted", ["XDEL s 10-0 11-0 12-0"], "", "unread"],
    ["all entries were trimmed", ["XTRIM s MAXLEN 0"], "3", "unread"],
    ["it was trimmed beyond the group", ["XTRIM s MAXLEN 2"], "3", "unread"],
    ["the group is ahead of it", ["XGROUP SETID s g 99-0"], "", "unread"],
    ["the group was set back with a wrong count", ["XGROUP SETID s g 0 ENTRIESREAD 50"], "-38", "unread"],
    ["an unread entry was deleted", ["XDEL s 11-0"], "", "unknown"],
    ["the group began amid it", ["XGROUP SETID s g 4-0"], "", "unknown"],
    ["the group began at its end", ["XGROUP SETID s g $", "XADD s 13-0 a 1"], "", "unknown"],
  ])("if %s, the lag is what XRANGE counts, or unknown", async (_what, commands, lag, expected) => {
    const server = await start({ name: program, program });
    for (let id = 1; id <= 12; id += 1) await server.cli("XADD", "s", `${id}-0`, "a", "1");
    await server.cli("XGROUP", "CREATE", "s", "g", "0");
    await server.cli("XREADGROUP", "GROUP", "g", "c", "COUNT", "9", "STREAMS", "s", ">");
    for (const command of commands) await server.cli(...command.split(" "));
    const groups = (await server.cli("XINFO", "GROUPS", "s")).split("\n");
    const of = (name: string) => groups[groups.indexOf(name) + 1] ?? "";
    expect(of("lag")).toBe(lag);
    const unread =
      (await server.cli("XRANGE", "s", `(${of("last-delivered-id")}`, "+")).match(/^\d+-\d+$/gm)?.length ?? 0;
    const found = await read({ address: server.address, tls: false, stream: "s", group: "g", count: "lag" });
    if (expected === "unread") expect(found).toBe(String(unread));
    else expect(found).toMatch(/cannot tell the group's lag until the group has read all/);
  });
});

test.each<[Readonly<Record<string, unknown>>, readonly string[]]>([
  [{ key: "jobs" }, ["LLEN", "jobs"]],
  [{ key: "jobs:ids" }, ["SCARD", "jobs:ids"]],
  [{ key: "jobs:due", type: "sortedSet" }, ["ZCARD", "jobs:due"]],
  [{ key: "jobs:by-id" }, ["HLEN", "jobs:by-id"]],
  [{ key: "jobs:none" }, ["LLEN", "jobs:none"]],
  [{ stream: "orders" }, ["XLEN", "orders"]],
  [{ stream: "orders", group: "nobody" }, ["XLEN", "orders"]],
])("%j is what redis-cli counts", async (counted, command) => {
  expect(await read(parameters(counted))).toBe(await redis.cli(...command));
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ key: "jobs", processing: "jobs:working" }, "4"],
  [{ stream: "orders", group: "mailers", count: "pending" }, "3"],
  [{ stream: "orders", group: "mailers", count: "lag" }, "4"],
  [{ stream: "orders", group: "mailers" }, "7"],
  [{ stream: "orders", group: "nobody", count: "pending" }, 'there is no group "nobody" of the stream'],
  [{ key: "jobs", type: "set" }, "the key holds another type (WRONGTYPE)"],
  [{ key: "jobs:text" }, "got string"],
  [{ key: "secret-key", type: "list" }, "does not allow this user the command or the key (NOPERM)"],
])("%j: %s", async (counted, expected) => {
  expect(await read(parameters(counted))).toContain(expected);
});

test("the group's numbers are those of XINFO", async () => {
  const printed = (await redis.cli("XINFO", "GROUPS", "orders")).split("\n");
  const of = (name: string) => printed[printed.indexOf(name) + 1];
  expect([of("pending"), of("lag")]).toEqual(["3", "4"]);
});

test("unread entries that were deleted make the lag unknown, not zero", async () => {
  const ids = (await redis.cli("XRANGE", "orders", "-", "+")).split("\n").filter((line) => /^\d+-\d+$/.test(line));
  await redis.cli("XDEL", "orders", ids[5]!);
  expect(await read(parameters({ stream: "orders", group: "mailers" }))).toContain("cannot tell the group's lag");
  expect(await read(parameters({ stream: "orders", group: "mailers", count: "pending" }))).toBe("3");
});

test("a cluster's keys are found on both of its members", async () => {
  const options = { password: "cl0st3r", config: ["cluster-enabled yes", "cluster-node-timeout 2000"] };
  const members = [await start({ name: "member-0", ...options }), await start({ name: "member-1", ...options })];
  const [one, other] = members as [RedisServer, RedisServer];
  await one.cli("CLUSTER", "ADDSLOTSRANGE", "0", "8191");
  await other.cli("CLUSTER", "ADDSLOTSRANGE", "8192", "16383");
  await one.cli("CLUSTER", "MEET", "127.0.0.1", String(other.port));
  await eventually("the cluster is up", async () => {
    for (const member of members) expect(await member.cli("CLUSTER", "INFO")).toContain("cluster_state:ok");
  });
  const keys = Array.from({ length: 10 }, (_, index) => `jobs-${index}`);
  for (const [index, key] of keys.entries())
    await one.cli("-c", "RPUSH", key, ...Array.from({ length: index + 1 }, String));
  const endpoint = members.map(({ address }) => `redis://${address}`);
  secrets.set("ebb/prod/cluster", JSON.stringify({ endpoint, password: options.password }));
  secrets.set("ebb/prod/one", JSON.stringify({ endpoint: endpoint[0], password: options.password }));
  const address = members.map((member) => member.address).join(",");
  const source = openRedisSource(networkWith(secrets));
  const where = { address, topology: "cluster", tls: false, secret: "ebb/prod/cluster" };
  for (const [index, key] of keys.entries()) expect(await read({ ...where, key }, source)).toBe(String(index + 1));
  const alone = { ...where, topology: undefined, address: one.address, secret: "ebb/prod/one" };
  const readings = await Promise.all(keys.map((key) => read({ ...alone, key })));
  expect(readings.filter((text) => text.includes("set topology to cluster (MOVED)")).length).toBeGreaterThan(0);
});

test("a sentinel names the master, also after a failover", async () => {
  const master = await start({ name: "master" });
  const replica = await start({ name: "replica", config: [`replicaof 127.0.0.1 ${master.port}`] });
  const sentinel = await start({
    name: "sentinel",
    isSentinel: true,
    config: [`sentinel monitor main 127.0.0.1 ${master.port} 1`, "sentinel down-after-milliseconds main 500"],
  });
  await master.cli("RPUSH", "jobs", "a", "b");
  const source = openRedisSource(networkWith(secrets));
  const where = { address: sentinel.address, topology: "sentinel", master: "main", tls: false, key: "jobs" };
  expect(await read(where, source)).toBe("2");
  await eventually("the replica has it", async () => expect(await replica.cli("LLEN", "jobs")).toBe("2"));
  await eventually("the replica is the master", async () => {
    const [, port] = (await sentinel.cli("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")).split("\n");
    if (port !== String(replica.port)) await sentinel.cli("SENTINEL", "FAILOVER", "main");
    expect(port).toBe(String(replica.port));
  });
  await eventually("the replica takes writes", () => replica.cli("RPUSH", "jobs", "c"));
  expect(await read(where, source)).toBe("3");
  expect(await read({ ...where, master: "other" }, source)).toContain("knows no master other");
});

test("a consumer goes to zero, to as many as its messages ask for, and back to zero", async () => {
  const scaled = await startScaledConsumer({
    kind: "redis",
    parameters: parameters({ key: "jobs:${queue}", processing: "jobs:${queue}:working" }),
    labels: { "var.queue": "mails" },
    perReplica: "5",
    secrets,
  });
  try {
    await scaled.untilReplicas(0);
    await redis.cli("RPUSH", "jobs:mails", ...Array.from({ length: 12 }, String));
    await scaled.untilReplicas(3);
    // A consumer takes one up: it is still work.
    await redis.cli("LMOVE", "jobs:mails", "jobs:mails:working", "LEFT", "RIGHT");
    expect(await read(parameters({ key: "jobs:mails", processing: "jobs:mails:working" }))).toBe("12");
    await redis.cli("DEL", "jobs:mails", "jobs:mails:working");
    await scaled.untilReplicas(0);
  } finally {
    await scaled.stop();
  }
}, 120_000);
