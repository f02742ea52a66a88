import { Fault } from "../../lib/model/fault";
import type { ClusterSpec } from "../../lib/model/entry/entries";
import type { Cluster, Clusters } from "../../lib/model/ports/cluster";
import { discovering, json, scale, startServer, type TestServer } from "./api-server";
import { until } from "../time/until";
import { clustersWith, entry, secret, soon, web } from "./connect";

const kubeconfigOf = (url: string) =>
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "main" },
    clusters: [{ name: "c", cluster: { server: url } }],
    users: [{ name: "u", user: { token: "t0k3n" } }],
    contexts: [{ name: "main", context: { cluster: "c", user: "u" } }],
  });

describe("clusters", () => {
  let server: TestServer;
  let now: number;
  const opened: { close(): void }[] = [];
  const open = (deps: Parameters<typeof clustersWith>[0] = {}) => {
    const clusters = clustersWith({ now: () => now, ...deps });
    opened.push(clusters);
    return clusters;
  };

  beforeEach(async () => {
    now = Date.UTC(2026, 2, 1, 12);
    server = await startServer(discovering((_request, response) => json(response, 200, scale(3))));
  });
  afterEach(async () => {
    opened.splice(0).forEach((clusters) => clusters.close());
    await server.stop();
  });

  test("satisfy the ports of the sync", async () => {
    const clusters = open() satisfies Clusters;
    const cluster: Cluster = await clusters.connect(entry(server.url), soon());
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(3);
  });

  test("the same entry is the same connection; options of the controller make no other", async () => {
    const clusters = open();
    const first = await clusters.connect(entry(server.url), soon());
    expect(await clusters.connect(entry(server.url, { options: { tolerance: 0.2 } }), soon())).toBe(first);
  });

  test("a caller who gives up while its cluster is opened is told so, and any other error is its own", async () => {
    const caller = new AbortController();
    const stopping = open({
      tokens() {
        caller.abort(new Error("the slot is over"));
        return Promise.reject(new TypeError("stopped"));
      },
    });
    const spec = { auth: { type: "kubeconfig", secret } } as const;
    await expect(stopping.connect({ name: "test", spec }, caller.signal)).rejects.toMatchObject({
      ...{ kind: "timeout", message: "cluster test: given up: the slot is over" },
    });
    const failing = open({ tokens: () => Promise.reject(new TypeError("no function")) });
    await expect(failing.connect({ name: "test", spec }, soon())).rejects.toThrow(new TypeError("no function"));
  });

  test("concurrent connects share one", async () => {
    const clusters = open();
    const [one, other] = await Promise.all([1, 2].map(() => clusters.connect(entry(server.url), soon())));
    expect(one).toBe(other);
  });

  test("a changed entry reconnects, and calls in progress on the old connection still succeed", async () => {
    const clusters = open();
    const first = await clusters.connect(entry(server.url), soon());
    await first.getScale(web, soon());
    let release = () => {};
    const asked = new Promise<void>((arrived) => {
      server.reply = (_request, response) => {
        release = () => json(response, 200, scale(4));
        arrived();
      };
    });
    const underWay = first.getScale(web, soon());
    await asked;
    const second = await clusters.connect(
      entry(server.url, { auth: { type: "token", secret: `${secret}/other` } }),
      soon(),
    );
    expect(second).not.toBe(first);
    release();
    expect((await underWay).spec.replicas).toBe(4);
    await until(() => server.openConnections === 0);
  });

  test("closed ones leave no connection open", async () => {
    const clusters = open();
    await (await clusters.connect(entry(server.url), soon())).getScale(web, soon());
    expect(server.openConnections).toBe(1);
    clusters.close();
    await until(() => server.openConnections === 0);
  });

  test("a connection that several callers opened together is kept", async () => {
    const clusters = open();
    const connect = () => clusters.connect(entry(server.url), soon());
    const [one] = await Promise.all([connect(), connect().then((cluster) => cluster.getScale(web, soon()))]);
    await one.getScale(web, soon());
    expect(server.connections).toBe(1);
  });

  test.each<[string, ClusterSpec, string]>([
    [
      "another cluster's secret",
      { auth: { type: "kubeconfig", secret: "ebb/other/kubeconfig" } },
      "a cluster uses only secrets named for it",
    ],
    [
      "another endpoint than its kubeconfig's",
      { endpoint: "https://b.example", auth: { type: "kubeconfig", secret } },
      "spec.endpoint: expected nothing, or the same as in the kubeconfig of auth.secret",
    ],
  ])("a kubeconfig entry with %s is refused", async (_what, spec, message) => {
    const read: string[] = [];
    const tokens = (name: string) => Promise.resolve(read.push(name) > 0 ? kubeconfigOf("https://a.example") : "");
    await expect(open({ tokens, secrets: tokens }).connect({ name: "test", spec }, soon())).rejects.toThrow(message);
    expect(read.every((name) => name === secret)).toBe(true);
  });

  test("the server of a kubeconfig is not shown", async () => {
    const secrets = () => Promise.resolve(kubeconfigOf("ftp://hunter2.example"));
    const spec = { auth: { type: "kubeconfig", secret } } as const;
    await expect(open({ secrets }).connect({ name: "test", spec }, soon())).rejects.toThrow(
      "the kubeconfig's server: expected https://host[:port][/path], got something else",
    );
  });

  test("a path in the endpoint precedes every request", async () => {
    const requests: string[] = [];
    server.reply = (request, response) => {
      requests.push(request.url);
      discovering((_request, rest) => json(rest, 200, scale(3)))(
        { ...request, url: request.url.replace("/k8s/c-1", "") },
        response,
      );
    };
    await (await open().connect(entry(`${server.url}/k8s/c-1/`), soon())).getScale(web, soon());
    expect(requests).toEqual(["/k8s/c-1/apis", "/k8s/c-1/apis/apps/v1/namespaces/shop/deployments/web/scale"]);
  });

  test("a signal that has fired connects nothing", async () => {
    const clusters = open();
    await clusters.connect(entry(server.url), soon());
    const late = AbortSignal.abort(new Error("too late"));
    await expect(clusters.connect(entry(server.url), late)).rejects.toMatchObject({ kind: "timeout" });
    await expect(open().connect(entry(server.url), AbortSignal.abort(new Error("too late")))).rejects.toMatchObject({
      kind: "timeout",
      message: "cluster test: given up: too late",
    });
  });

  describe("with a token", () => {
    test("send it, and read the secret once for many requests", async () => {
      const read: string[] = [];
      const tokens = (name: string) => Promise.resolve(`${read.push(name)}-token\n`);
      const cluster = await open({ tokens }).connect(entry(server.url), soon());
      await Promise.all([1, 2, 3].map(() => cluster.getScale(web, soon())));
      expect(read).toEqual([secret]);
      expect(server.received.every(({ headers }) => headers.authorization === "Bearer 1-token")).toBe(true);
    });

    test("read it again after five minutes", async () => {
      let reads = 0;
      const tokens = () => Promise.resolve(`token-${++reads}`);
      const cluster = await open({ tokens }).connect(entry(server.url), soon());
      await cluster.getScale(web, soon());
      now += 299_999;
      await cluster.getScale(web, soon());
      expect(server.received.at(-1)?.headers.authorization).toBe("Bearer token-1");
      now += 1;
      await cluster.getScale(web, soon());
      expect(server.received.at(-1)?.headers.authorization).toBe("Bearer token-2");
    });

    test("a rotated token is picked up after a 401, by all requests with one reading", async () => {
      const tokens = ["old", "new", "newer"];
      const next = () => Promise.resolve(tokens.shift() ?? "");
      const cluster = await open({ tokens: next }).connect(entry(server.url), soon());
      await cluster.getScale(web, soon());
      server.reply = ({ headers }, response) =>
        headers.authorization === "Bearer new" ? json(response, 200, scale(3)) : json(response, 401, {});
      await Promise.all([1, 2, 3, 4].map(() => cluster.getScale(web, soon())));
      expect(tokens).toEqual(["newer"]);
    });

    test("a token that is still refused after one renewal is an error", async () => {
      let reads = 0;
      const tokens = () => Promise.resolve(`token-${++reads}`);
      const cluster = await open({ tokens }).connect(entry(server.url), soon());
      server.reply = (_request, response) => json(response, 401, {});
      await expect(cluster.getScale(web, soon())).rejects.toMatchObject({ kind: "unauthorized", status: 401 });
      expect(reads).toBe(2);
    });

    test("a refused write is sent again with the new token", async () => {
      const tokens = ["old", "new"];
      const cluster = await open({ tokens: () => Promise.resolve(tokens.shift() ?? "") }).connect(
        entry(server.url),
        soon(),
      );
      const read = await cluster.getScale(web, soon());
      server.reply = ({ headers }, response) =>
        headers.authorization === "Bearer new" ? json(response, 200, scale(5, "8")) : json(response, 401, {});
      expect((await cluster.putScale(web, read, soon())).metadata.resourceVersion).toBe("8");
    });

    test.each([
      ["empty", " \n"],
      ["of two lines", "a\nb"],
    ])("a secret that is %s is a bad entry, and is not shown", async (_name, token) => {
      const cluster = await open({ tokens: () => Promise.resolve(token) }).connect(entry(server.url), soon());
      await expect(cluster.getScale(web, soon())).rejects.toMatchObject({
        kind: "badEntry",
        message: `auth.secret ${secret}: expected "token": <a bearer token> beside its endpoint`,
      });
      expect(server.received).toEqual([]);
    });

    test("a secret's own error is passed on", async () => {
      const fault = new Fault("forbidden", "secret ebb/test: AccessDeniedException: no");
      const cluster = await open({ secrets: () => Promise.reject(fault) }).connect(entry(server.url), soon());
      await expect(cluster.getScale(web, soon())).rejects.toBe(fault);
    });

    test("a secret that never arrives is a timeout, and the read is aborted", async () => {
      let aborted = false;
      const secrets = (_name: string, signal: AbortSignal) =>
        new Promise<string>(() => signal.addEventListener("abort", () => (aborted = true)));
      const clusters = open({ secrets, transport: { timeoutMs: 200 } });
      const cluster = await clusters.connect(entry(server.url), soon());
      await expect(cluster.getScale(web, soon())).rejects.toMatchObject({
        kind: "timeout",
        message: `${server.url}: no credential within 0.2 s (get /apis)`,
      });
      expect(aborted).toBe(true);
    });
  });
});
