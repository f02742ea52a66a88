import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { type AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { Sha256 } from "@aws-crypto/sha256-js";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import { parse } from "yaml";
import { demoBackends, type Backends } from "../../../local/backends";
import { type LocalCredential, newCredential } from "../../../local/guard/signature";
import { lineReporter } from "../../../local/line-reporter";
import { type Local, startLocal } from "../../../local/start";
import { type EmbeddedTable, openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { type Dashboard, serveDashboard } from "../../../cli/look/dashboard/serve";
import { openMetrics } from "../../../cli/look/metrics/serve-metrics";
import { openHistoryReader, storeOn } from "../../../compose";
import { pause } from "../../../lib/async/within-time";
import { openEntries } from "../../../lib/table/entries";
import { newPageKey } from "../../../local/guard/page-guard";
import { plainCaller } from "../../cli/advice/plain-caller";
import { strangeHeaders } from "./strange-headers";

/**
 * Every server that `ebb start` opens, attacked in the same ways. A server that is not in the table below fails this
 * test twice: by its source file, and by listening.
 */
const root = resolve(__dirname, "../../..");

/** A request, and how its client shows that it may send it. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface LocalServer {
  /** Where it is opened. */
  readonly source: string;
  readonly endpoint: string;
  readonly ca?: string;
  /** A request that the run's own client may send. */
  own(): Promise<Sent>;
  /** The same by other means: each is refused. */
  readonly strangers: Readonly<Record<string, () => Promise<Sent>>>;
}

let directory: string;
let embedded: EmbeddedTable;
let backends: Backends;
let local: Local;
let dashboard: Dashboard;
let metrics: Awaited<ReturnType<typeof openMetrics>>;
let servers: Readonly<Record<string, LocalServer>>;
const started: Server[] = [];
/** The demo opens servers for a moment, too, to make up its past. */
const listening = () => started.filter((server) => server.listening).map((server) => server.address() as AddressInfo);

/** By name, so that the rows below exist before the servers do. */
const names = ["table", "queues", "kubernetes", "dashboard", "metrics"] as const;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "ebb-servers-"));
  const listen = jest.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server, ...args: unknown[]) {
    started.push(this);
    return Reflect.apply(realListen, this, args) as Server;
  });
  // As `ebb start` does.
  const credential = newCredential();
  embedded = await openEmbeddedTable({ directory: join(directory, "table"), credential });
  const { client, table: name, watch } = embedded;
  backends = await demoBackends({ client, name }, directory, credential);
  local = startLocal(
    { client, name, watch },
    backends,
    lineReporter(() => undefined),
  );
  dashboard = await serveDashboard({
    ...{ store: storeOn({ client, name }, { now: () => Date.now() }), entries: openEntries({ client, name }) },
    history: openHistoryReader({ client, name }, () => Date.now()),
    ...{
      now: () => Date.now(),
      pause,
      callerFor: () => Promise.resolve(plainCaller),
      port: 0,
      isPaid: false,
      dollarsPerHour: 0,
    },
    files: { "index.html": "<title>ebb</title>" },
  });
  metrics = await openMetrics({ client, name }, { folder: directory, port: 0, now: () => Date.now() });
  listen.mockRestore();
  servers = {
    table: awsServer(
      "local/backends/table/embedded-table.ts",
      embedded.endpoint,
      ["dynamodb", "DynamoDB_20120810.ListTables"],
      credential,
    ),
    queues: awsServer(
      "local/backends/sqs/server.ts",
      backends.sqs?.endpoint ?? "",
      ["sqs", "AmazonSQS.ListQueues"],
      credential,
    ),
    kubernetes: await kubernetesServer(backends.kubeconfig.file),
    dashboard: pageServer(dashboard.url),
    metrics: await metricsServer(metrics.line),
  };
}, 60_000);
afterAll(async () => {
  await metrics.close();
  await dashboard.close();
  await local.stop();
  await backends.close();
  await embedded.close();
  await rm(directory, { recursive: true });
});

// eslint-disable-next-line @typescript-eslint/unbound-method
const realListen: (...args: never[]) => unknown = Server.prototype.listen;

function awsServer(
  source: string,
  endpoint: string,
  [service, target]: readonly [service: string, target: string],
  credential: LocalCredential,
): LocalServer {
  const body = "{}";
  const { host, hostname } = new URL(endpoint);
  const typed = { "content-type": "application/x-amz-json-1.0" };
  const signedBy = async (credentials: LocalCredential): Promise<Sent> => {
    const signer = new SignatureV4({ service, region: "us-east-1", credentials, sha256: Sha256 });
    // A nonce, because a server accepts no request twice.
    const nonce = newCredential().accessKeyId;
    const headers = { host, ...typed, "x-amz-target": target, "x-amz-nonce": nonce };
    const request = new HttpRequest({ method: "POST", path: "/", hostname, headers, body });
    return { method: "POST", path: "/", headers: (await signer.sign(request)).headers, body };
  };
  const unsigned = (more: Record<string, string>) => () =>
    Promise.resolve({ method: "POST", path: "/", headers: { ...typed, "x-amz-target": target, ...more }, body });
  return {
    source,
    endpoint,
    own: () => signedBy(credential),
    strangers: {
      "no credential": unsigned({}),
      "another credential": () => signedBy(newCredential()),
      "the right key with another secret": () => signedBy({ ...newCredential(), accessKeyId: credential.accessKeyId }),
      "a bearer token": unsigned({ authorization: `Bearer ${credential.secretAccessKey}` }),
      "a cookie": unsigned({ cookie: `token=${credential.secretAccessKey}` }),
    },
  };
}

async function kubernetesServer(file: string): Promise<LocalServer> {
  const { clusters, users } = parse(await readFile(file, "utf8")) as {
    readonly clusters: readonly [{ cluster: { server: string; "certificate-authority-data": string } }];
    readonly users: readonly [{ user: { token: string } }];
  };
  const [{ cluster }] = clusters;
  const { token } = users[0].user;
  const path = "/api/v1/namespaces/default/pods";
  const sent =
    (headers: Record<string, string>, to = path) =>
    () =>
      Promise.resolve({ method: "GET", path: to, headers });
  return {
    source: "local/backends/kubernetes/http/api-server.ts",
    endpoint: cluster.server,
    ca: Buffer.from(cluster["certificate-authority-data"], "base64").toString("utf8"),
    own: sent({ authorization: `Bearer ${token}` }),
    strangers: {
      "no credential": sent({}),
      "another credential": sent({ authorization: `Bearer ${newCredential().secretAccessKey}` }),
      "an empty token": sent({ authorization: "Bearer " }),
      "a password": sent({ authorization: `Basic ${Buffer.from(`admin:${token}`).toString("base64")}` }),
      "a cookie": sent({ cookie: `token=${token}` }),
      "the token in the query": sent({}, `${path}?access_token=${token}&token=${token}`),
      "a user's name in a header": sent({ "x-remote-user": "admin", "impersonate-user": "admin" }),
    },
  };
}

/** Its browser may type its address: what any page may not do, test/local/guard/page-guard.test.ts tries. */
function pageServer(url: string): LocalServer {
  const { origin, pathname, host } = new URL(url);
  const sent =
    (path: string, headers: Record<string, string> = {}) =>
    () =>
      Promise.resolve({ method: "GET", path, headers: { host, ...headers } });
  return {
    source: "cli/look/dashboard/serve.ts",
    endpoint: origin,
    own: sent(pathname),
    strangers: {
      "no key": sent("/"),
      "another key": sent(`/${newPageKey()}/`),
      "a part of the key": sent(pathname.slice(0, -2)),
      "a bearer token": sent("/", { authorization: `Bearer ${pathname.slice(1, -1)}` }),
      "a cookie": sent("/", { cookie: `key=${pathname.slice(1, -1)}` }),
      "the key in the query": sent(`/?key=${pathname.slice(1, -1)}`),
    },
  };
}

/** @param line as `ebb start` prints it: the address, and the file that has the token */
async function metricsServer(line: string): Promise<LocalServer> {
  const [, url = "", file = ""] = /^Metrics: (\S+) \(bearer token in (.*)\)$/.exec(line) ?? [];
  const { origin, pathname } = new URL(url);
  const token = (await readFile(file, "utf8")).trim();
  const sent =
    (headers: Record<string, string>, path = pathname) =>
    () =>
      Promise.resolve({ method: "GET", path, headers });
  return {
    source: "cli/look/metrics/serve-metrics.ts",
    endpoint: origin,
    own: sent({ authorization: `Bearer ${token}` }),
    strangers: {
      "no credential": sent({}),
      "another credential": sent({ authorization: `Bearer ${newPageKey()}` }),
      "a part of the token": sent({ authorization: `Bearer ${token.slice(0, -2)}` }),
      "an empty token": sent({ authorization: "Bearer " }),
      "a password": sent({ authorization: `Basic ${Buffer.from(`admin:${token}`).toString("base64")}` }),
      "a cookie": sent({ cookie: `token=${token}` }),
      "the token in the query": sent({}, `${pathname}?token=${token}&access_token=${token}`),
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Status 0: the server closed the connection without an answer. */
function send({ endpoint, ca }: LocalServer, { method, path, headers, body = "" }: Sent): Promise<Answer> {
  return new Promise((done) => {
    const options = { method, headers, agent: false as const, ca, servername: "localhost" };
    const sent = (endpoint.startsWith("https:") ? httpsRequest : httpRequest)(
      new URL(path, endpoint),
      options,
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const { statusCode: status = 0 } = answer;
          done({ status, headers: answer.headers, body: Buffer.concat(chunks).toString() });
        });
      },
    );
    sent.on("connect", ({ statusCode: status = 0, headers: answered }, socket) => {
      socket.destroy();
      done({ status, headers: answered, body: "" });
    });
    sent.on("error", () => done({ status: 0, headers: {}, body: "" }));
    sent.end(body);
  });
}

test("these are all: no other file of the product opens a server, and nothing else listens", () => {
  const sources = ["cli", "functions", "lib", "local"].flatMap((folder) => sourcesIn(join(root, folder)));
  const opening = [...sources, join(root, "compose.ts")].filter((file) =>
    /\bcreate(Secure)?Server\(|\bnew (net\.|http\.|https\.)?Server\(|\bdynalite\(|\bcreateSocket\(/.test(
      readFileSync(file, "utf8"),
    ),
  );
  const rows = Object.values(servers);
  expect(opening.map((file) => relative(root, file)).sort()).toEqual(rows.map(({ source }) => source).sort());
  const open = listening().map(({ port }) => port);
  expect(new Set(open)).toEqual(new Set(rows.map(({ endpoint }) => Number(new URL(endpoint).port))));
});

test("the servers of tests and benches, which check no credential, listen on loopback alone", () => {
  const files = ["bench", "local", "simulate", "test"].flatMap((folder) => sourcesIn(join(root, folder)));
  const calls = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\.listen\((.*)/g)].map(([call]) => `${relative(root, file)}: ${call}`),
  );
  expect(calls.length).toBeGreaterThan(10);
  const elsewhere = calls.filter((call) => !/\.listen\([\w.? ]+, "127\.0\.0\.1"/.test(call));
  // A service that the API server proxies to: it connects to no loopback address.
  expect(elsewhere.map((call) => call.split(":")[0])).toEqual(["test/e2e/via.test.ts"]);
});

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map((name) => join(folder, name));
}

describe.each(names)("%s", (name) => {
  const server = () => {
    const found = servers[name];
    if (found === undefined) throw new Error(`no server ${name}`);
    return found;
  };

  test("listens on loopback alone", () => {
    const { port, hostname } = new URL(server().endpoint);
    expect(hostname).toBe("127.0.0.1");
    expect(listening().filter((each) => String(each.port) === port)).toMatchObject([{ address: "127.0.0.1" }]);
  });

  test("answers the run's own client", async () => {
    expect((await send(server(), await server().own())).status).toBe(200);
  });

  const strange = strangeHeaders.filter(([, headers]) => name !== "dashboard" || headers["sec-fetch-site"] !== "none");

  test.each(strange)(
    "refuses %s, even with the run's own credential, and lets no page read the refusal",
    async (_case, headers) => {
      const own = await server().own();
      const answer = await send(server(), { ...own, headers: { ...own.headers, ...headers } });
      expect([0, 400, 403]).toContain(answer.status);
      expectNoAccess(answer);
    },
  );

  test("refuses every way to come without the run's credential, and says nothing of it", async () => {
    for (const [way, sent] of Object.entries(server().strangers)) {
      const answer = await send(server(), await sent());
      expect([way, [400, 401, 403].includes(answer.status)]).toEqual([way, true]);
      expectNoAccess(answer);
    }
  });

  test.each(["OPTIONS", "TRACE", "CONNECT", "GET", "HEAD", "PATCH"])("%s gives a stranger nothing", async (method) => {
    const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
    for (const path of ["/", "/api", "/version", "/shell", "/..%2f..%2fetc/passwd"]) {
      const answer = await send(server(), { method, path, headers });
      expect([0, 400, 403, 405]).toContain(answer.status);
      expectNoAccess(answer);
    }
  });
});

function expectNoAccess({ headers, body }: Answer): void {
  expect(Object.keys(headers).filter((header) => header.startsWith("access-control"))).toEqual([]);
  expect(headers).not.toHaveProperty("set-cookie");
  const { secretAccessKey } = embedded.credential;
  expect(body).not.toContain(secretAccessKey);
  expect(body).not.toMatch(/TableNames|QueueUrls|PodList/);
}
