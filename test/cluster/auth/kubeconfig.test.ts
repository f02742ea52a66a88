import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { discovering, json, scale, startTlsServer, type TestServer } from "../api-server";
import { base64, makeCertificates } from "../certificates";
import { clustersWith, soon, web } from "../connect";

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly current?: string;
}

describe("kubeconfig", () => {
  let certificates: Awaited<ReturnType<typeof makeCertificates>>;
  let server: TestServer;
  let folder: string;
  let now: number;
  const opened: { close(): void }[] = [];

  const kubeconfig = ({ cluster = {}, user = {}, current = "main" }: Parts = {}) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": current,
      clusters: [
        {
          name: "c",
          cluster: { server: server.url, "certificate-authority-data": base64(certificates.ca), ...cluster },
        },
      ],
      users: [
        { name: "u", user },
        { name: "other", user: { token: "other-token" } },
      ],
      contexts: [
        { name: "main", context: { cluster: "c", user: "u" } },
        { name: "second", context: { cluster: "c", user: "other" } },
        { name: "dangling", context: { cluster: "gone", user: "u" } },
      ],
    });
  const fromSecret = async (text: string, context?: string) => {
    const clusters = clustersWith({ now: () => now, secrets: () => Promise.resolve(text) });
    opened.push(clusters);
    const auth = { type: "kubeconfig", secret: "kube", ...(context === undefined ? {} : { context }) } as const;
    return clusters.connect({ name: "test", spec: { auth } }, soon());
  };
  const fromFile = async (name: string) => {
    const clusters = clustersWith({ now: () => now });
    opened.push(clusters);
    return clusters.connect({ name: "test", spec: { auth: { type: "kubeconfig", file: join(folder, name) } } }, soon());
  };
  const authorization = () => server.received.at(-1)?.headers.authorization;

  beforeAll(async () => {
    certificates = await makeCertificates();
    // Compiling the official client for the first time takes seconds.
    await import("../../../lib/cluster/auth/kubeconfig-auth");
  }, 60_000);
  beforeEach(async () => {
    now = Date.now();
    folder = await mkdtemp(join(tmpdir(), "ebb-kubeconfig-"));
    server = await startTlsServer(certificates);
  });
  afterEach(async () => {
    opened.splice(0).forEach((clusters) => clusters.close());
    await server.stop();
    await rm(folder, { recursive: true });
  });

  test.each([
    ["a token", { token: "abc" }, "Bearer abc"],
    ["a user name and password", { username: "me", password: "pw" }, `Basic ${base64("me:pw")}`],
  ])("from a secret, with %s", async (_name, user, header) => {
    expect((await (await fromSecret(kubeconfig({ user }))).getScale(web, soon())).spec.replicas).toBe(3);
    expect(authorization()).toBe(header);
  });

  test("as YAML", async () => {
    const yaml = [
      "apiVersion: v1",
      "kind: Config",
      "current-context: a",
      "clusters:",
      `- {name: c, cluster: {server: '${server.url}', certificate-authority-data: ${base64(certificates.ca)}}}`,
      "users:",
      "- name: u",
      "  user: {token: from-yaml}",
      "contexts:",
      "- {name: a, context: {cluster: c, user: u}}",
    ].join("\n");
    await (await fromSecret(yaml)).getScale(web, soon());
    expect(authorization()).toBe("Bearer from-yaml");
  });

  test("another context than the current one", async () => {
    await (await fromSecret(kubeconfig(), "second")).getScale(web, soon());
    expect(authorization()).toBe("Bearer other-token");
  });

  test("impersonation is passed on", async () => {
    await (await fromSecret(kubeconfig({ user: { token: "abc", as: "jane" } }))).getScale(web, soon());
    expect(server.received.at(-1)?.headers["impersonate-user"]).toBe("jane");
  });

  test("from a file, with a CA, a token file and a certificate beside it, named relatively", async () => {
    await writeFile(join(folder, "ca.pem"), certificates.ca);
    await writeFile(join(folder, "cert.pem"), certificates.client.cert);
    await writeFile(join(folder, "key.pem"), certificates.client.key);
    await writeFile(join(folder, "token"), "from-file\n");
    const cluster = { "certificate-authority-data": undefined, "certificate-authority": "ca.pem" };
    const user = { "client-certificate": "cert.pem", "client-key": "key.pem", tokenFile: join(folder, "token") };
    await writeFile(join(folder, "config"), kubeconfig({ cluster, user }));
    await (await fromFile("config")).getScale(web, soon());
    expect(authorization()).toBe("Bearer from-file");
  });

  test("an exec plugin is run, its token kept until it expires, and it is run again after a 401", async () => {
    await writeFile(join(folder, "count"), "");
    const plugin = `
      const fs = require("fs");
      fs.appendFileSync(process.env.COUNT, "x");
      const token = "exec-" + fs.readFileSync(process.env.COUNT, "utf8").length;
      console.log(JSON.stringify({ status: { token, expirationTimestamp: "2999-01-01T00:00:00Z" } }));`;
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", plugin],
      env: [{ name: "COUNT", value: join(folder, "count") }],
    };
    const cluster = await fromSecret(kubeconfig({ user: { exec } }));
    await cluster.getScale(web, soon());
    now += 60_000;
    await cluster.getScale(web, soon());
    expect(authorization()).toBe("Bearer exec-1");
    server.reply = ({ headers }, response) =>
      headers.authorization === "Bearer exec-2" ? json(response, 200, scale(5)) : json(response, 401, {});
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(5);
  });

  test("an exec plugin's failure shows its output", async () => {
    const exec = { command: process.execPath, args: ["-e", 'console.error("please log in"); process.exit(1)'] };
    await expect((await fromSecret(kubeconfig({ user: { exec } }))).getScale(web, soon())).rejects.toMatchObject({
      kind: "unauthorized",
      message: "auth.secret kube: no credential from its user: please log in",
    });
  });

  test("is read again after a 401", async () => {
    const texts = [kubeconfig({ user: { token: "old" } }), kubeconfig({ user: { token: "new" } })];
    const clusters = clustersWith({ now: () => now, secrets: () => Promise.resolve(texts.shift() ?? "") });
    opened.push(clusters);
    const cluster = await clusters.connect(
      { name: "test", spec: { auth: { type: "kubeconfig", secret: "kube" } } },
      soon(),
    );
    server.reply = discovering(({ headers }, response) =>
      headers.authorization === "Bearer new" ? json(response, 200, scale(3)) : json(response, 401, {}),
    );
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(3);
  });

  test("is connected again after ten minutes, as its server may have changed", async () => {
    const clusters = clustersWith({ now: () => now, secrets: () => Promise.resolve(kubeconfig()) });
    opened.push(clusters);
    const spec = { auth: { type: "kubeconfig", secret: "kube" } } as const;
    const first = await clusters.connect({ name: "test", spec }, soon());
    expect(await clusters.connect({ name: "test", spec }, soon())).toBe(first);
    now += 600_000;
    expect(await clusters.connect({ name: "test", spec }, soon())).not.toBe(first);
  });

  test.each([
    [
      "insecure-skip-tls-verify",
      { cluster: { "insecure-skip-tls-verify": true } },
      "auth.secret kube: cluster c: insecure-skip-tls-verify is not allowed; set certificate-authority-data to the private CA",
    ],
    [
      "a proxy",
      { cluster: { "proxy-url": "http://proxy:3128" } },
      "auth.secret kube: cluster c: proxy-url is not supported",
    ],
    [
      "plain http elsewhere",
      { cluster: { server: "http://10.0.0.1" } },
      "the kubeconfig's server: expected https, got http://10.0.0.1: plain http is allowed only to this machine",
    ],
    [
      "an unknown current context",
      { current: "none" },
      'auth.secret kube: expected a context "none", got main, second, dangling',
    ],
    [
      "a context without its cluster",
      { current: "dangling" },
      "auth.secret kube: context dangling: expected its cluster, got c",
    ],
    [
      "an unreadable CA file",
      { cluster: { "certificate-authority": "/nowhere/ca.pem" } },
      "auth.secret kube: cluster c: expected certificate-authority to be readable, got ENOENT: no such file or directory, open '/nowhere/ca.pem'",
    ],
  ])("with %s is refused", async (_name, parts, message) => {
    await expect(fromSecret(kubeconfig(parts))).rejects.toMatchObject({ kind: "badEntry", message });
  });

  test.each([
    ["not YAML", "a: [", /^auth\.secret kube: expected a kubeconfig: /],
    ["a word", "hello", "auth.secret kube: expected a kubeconfig: expected a document"],
    ["no kubeconfig", "{}", 'auth.secret kube: expected a context "", got none'],
  ])("that is %s is refused", async (_name, text, message) => {
    const outcome = fromSecret(text);
    await expect(outcome).rejects.toMatchObject({ kind: "badEntry" });
    await expect(outcome).rejects.toThrow(message);
  });

  test("a missing file is refused", async () => {
    await expect(fromFile("none")).rejects.toMatchObject({ kind: "badEntry" });
    await expect(fromFile("none")).rejects.toThrow(/^auth\.file .*none: expected a readable kubeconfig: ENOENT/);
  });
});
