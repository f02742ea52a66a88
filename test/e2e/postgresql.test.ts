import { openPostgresqlSource } from "../../lib/sources/postgresql/postgresql";
import type { SourceNetwork } from "../../lib/sources/network/network";
import { base64, makeCertificates } from "../cluster/certificates";
import { networkWith, sourceContract } from "../sources/contract/contract";
import { imported } from "../sources/imported";
import { contextOf } from "../sources/read-context";
import { type PostgresqlServer, startPostgresql } from "./servers/postgresql";
import { startScaledConsumer } from "./servers/scaled-consumer";

/** The source against a real PostgreSQL, with TLS and SCRAM. */
let postgresql: PostgresqlServer;
let otherCa: string;
const secrets = new Map<string, string>();
const secretName = "ebb/prod/shop";
const password = "r3ad3r-0f-r0ws";
const open = (network: SourceNetwork) => openPostgresqlSource(network, () => Promise.reject(new Error("no AWS")));

const secretOf = (text: string) =>
  JSON.stringify({
    endpoint: `postgresql://${postgresql.address}`,
    certificateAuthorityData: postgresql.certificateAuthorityData,
    username: "ebb",
    password: text,
  });

const jobs = "SELECT count(*) FROM jobs WHERE queue = ${queue}";

beforeAll(async () => {
  postgresql = await startPostgresql();
  otherCa = base64((await makeCertificates()).ca);
  await postgresql.psql(`CREATE USER ebb PASSWORD '${password}'`);
  await postgresql.psql("CREATE TABLE jobs (id serial, queue text, weight numeric)");
  await postgresql.psql("CREATE TABLE private (id int)");
  await postgresql.psql("INSERT INTO jobs (queue, weight) SELECT 'mails', 1.25 FROM generate_series(1, 5)");
  // As docs/sources/postgresql.md says. That ebb writes nothing does not rest on it.
  await postgresql.psql("GRANT SELECT, INSERT, DELETE ON jobs TO ebb; GRANT USAGE ON SEQUENCE jobs_id_seq TO ebb");
  secrets.set(secretName, secretOf(password));
});

afterAll(() => postgresql?.stop());

const parameters = (more: Readonly<Record<string, unknown>> = {}) => ({
  address: postgresql.address,
  database: "postgres",
  certificateAuthorityData: postgresql.certificateAuthorityData,
  secret: secretName,
  ...more,
});

/** The server ends every connection of the user. */
async function hangUp(): Promise<void> {
  await postgresql.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ebb'");
}

async function read(more: Readonly<Record<string, unknown>>, source = open(networkWith(secrets))): Promise<string> {
  const reading = await source.open(contextOf()).read({ metricName: "jobs", parameters: parameters(more) });
  return "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error;
}

describe("the contract", () => {
  afterAll(() => secrets.set(secretName, secretOf(password)));
  const onlyDouble = { notApplicable: "a healthy server does not answer so: the double does" };
  const query = "SELECT count(*) FROM jobs";
  sourceContract({
    open,
    secrets,
    cases: {
      found: () => ({ parameters: parameters({ query }), expected: { values: ["5"] }, hangUp }),
      missing: () => ({
        parameters: parameters({ query: "SELECT count(*) FROM none" }),
        expected: { error: /there is no such table/ },
      }),
      empty: () => ({
        parameters: parameters({ query: "SELECT sum(weight) FROM jobs WHERE false" }),
        expected: { error: /the query gives NULL/ },
      }),
      malformed: () => ({
        parameters: parameters({ query: "SELECT queue FROM jobs LIMIT 1" }),
        expected: { error: /expected a finite number/ },
      }),
      slow: () => ({
        parameters: parameters({ query: "SELECT pg_sleep(60)", timeoutSeconds: 1 }),
        expected: { error: /the query took longer than its time|no answer within 1 s/ },
        after: async () =>
          expect(
            await postgresql.psql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'ebb' AND state = 'active'"),
          ).toBe("0"),
      }),
      huge: () => ({
        parameters: parameters({ query: "SELECT repeat('1', 10000000)" }),
        expected: { error: /larger than 2097152 bytes/ },
      }),
      many: () => ({
        parameters: parameters({ query: "SELECT id FROM jobs" }),
        expected: { error: /expected one row, got 5/ },
      }),
      hostile: () => ({
        parameters: parameters({ query: jobs, "var.queue": "mails'; DELETE FROM jobs; --" }),
        expected: { values: ["0"] },
        after: async () => expect(await postgresql.psql(query)).toBe("5"),
      }),
      refused: () => ({
        parameters: parameters({ query, address: "127.0.0.1:1", secret: undefined, user: "ebb" }),
        expected: { error: /connection refused/ },
      }),
      authFailure: () => ({
        parameters: parameters({ query }),
        before: () => void secrets.set(secretName, secretOf("wr0ng-0n3")),
        expected: { error: /does not accept the credential of the source's secret/ },
        after: () => void secrets.set(secretName, secretOf(password)),
      }),
      rotated: () => ({
        parameters: parameters({ query }),
        async before() {
          await postgresql.psql("ALTER USER ebb PASSWORD 'r0tat3d-0n3'");
          secrets.set(secretName, secretOf("r0tat3d-0n3"));
        },
        expected: { values: ["5"] },
        async after() {
          await postgresql.psql(`ALTER USER ebb PASSWORD '${password}'`);
          secrets.set(secretName, secretOf(password));
        },
      }),
      wrongCa: () => ({
        parameters: parameters({ query, secret: undefined, user: "ebb", certificateAuthorityData: otherCa }),
        expected: { error: /not signed by a trusted CA/ },
      }),
      wrongHost: () => ({
        parameters: parameters({ query, secret: undefined, user: "ebb", tlsServerName: "db.example.com" }),
        expected: { error: /its certificate is for another name/ },
      }),
      dropped: onlyDouble,
    },
  });
});

test("a trigger of KEDA, imported, reads what psql prints", async () => {
  const [host = "", port = ""] = postgresql.address.split(":");
  const query = "SELECT sum(weight) FROM jobs";
  const where = { host, port, dbName: "postgres", sslmode: "verify-full" };
  const { parameters: given } = imported("postgresql", { ...where, query, targetQueryValue: "5" });
  expect(Number((await read(given)).slice(0, -1)) / 1000).toBe(Number(await postgresql.psql(query)));
});

test.each([
  "SELECT count(*) FROM jobs",
  "SELECT sum(weight)::numeric(10,2) FROM jobs WHERE queue = 'mails'",
  "SELECT avg(id)::float8 FROM jobs",
  "SELECT 9007199254740991",
  "SELECT 7::smallint",
])("%s is what psql prints", async (query) => {
  const printed = await postgresql.psql(query);
  const value = await read({ query });
  expect(value.endsWith("m") ? Number(value.slice(0, -1)) / 1000 : Number(value)).toBe(Number(printed));
});

test.each<[string, string]>([
  ["INSERT INTO jobs (queue) VALUES ('x') RETURNING 1", "the query writes, and its transaction is read-only"],
  ["DELETE FROM jobs RETURNING 1", "the query writes, and its transaction is read-only"],
  ["WITH d AS (DELETE FROM jobs RETURNING 1) SELECT count(*) FROM d", "the query writes"],
  ["SELECT nextval('jobs_id_seq')", "the query writes"],
  ["SELECT 1; DELETE FROM jobs", "the query has a syntax error, or more than one SQL statement"],
  ["COMMIT; DELETE FROM jobs", "the query has a syntax error, or more than one SQL statement"],
  ["COMMIT", "expected one column, got none: it is no query"],
  ["SET TRANSACTION READ WRITE", "expected one column, got none: it is no query"],
  ["SELECT count(*) FROM private", "the server does not allow this user the query"],
  ["SELECT count(*) FROM jobs WHERE queue = '${queue}'", "they are without quotes"],
  ["SELECT none FROM jobs", "there is no such column"],
  ["SELECT 'NaN'::numeric", "expected a finite number"],
  ["SELECT 1, 2", "expected one column, got 2"],
  ["COPY jobs TO STDOUT", "it is no query"],
  ["DO $$ BEGIN DELETE FROM jobs; END $$", "the query writes"],
  ["SELECT set_config('transaction_read_only', 'off', true)", "SQLSTATE 25001"],
])("%s: %s", async (query, expected) => {
  const more = query.includes("${queue}") ? { "var.queue": "mails" } : {};
  expect(await read({ query, absent: 0, ...more })).toContain(expected);
  expect(await postgresql.psql("SELECT count(*), max(id) FROM jobs")).toBe("5|5");
});

test("a statement that ends its transaction lets no later one write", async () => {
  const source = open(networkWith(secrets));
  for (const query of ["COMMIT", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "ROLLBACK"])
    expect(await read({ query }, source)).toContain("expected one column, got none: it is no query");
  expect(await read({ query: "DELETE FROM jobs RETURNING 1" }, source)).toContain("the query writes");
});

test("a database that does not exist", async () => {
  expect(await read({ query: "SELECT 1", database: "none" })).toContain("there is no such database");
});

test("a consumer goes to zero, to as many as its rows ask for, and back to zero", async () => {
  const scaled = await startScaledConsumer({
    kind: "postgresql",
    parameters: parameters({ query: jobs }),
    labels: { "var.queue": "reports" },
    perReplica: "5",
    secrets,
  });
  try {
    await scaled.untilReplicas(0);
    await postgresql.psql("INSERT INTO jobs (queue) SELECT 'reports' FROM generate_series(1, 12)");
    await scaled.untilReplicas(3);
    await postgresql.psql("DELETE FROM jobs WHERE queue = 'reports'");
    await scaled.untilReplicas(0);
  } finally {
    await scaled.stop();
  }
}, 120_000);
