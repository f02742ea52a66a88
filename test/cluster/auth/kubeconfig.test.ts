import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GivenKubeconfig } from "../../../lib/cluster/auth/given-kubeconfig";
import type { ClusterAuth, ClusterSpec } from "../../../lib/model/entry/entries";
import { planted } from "../../canaries/watch-writes";
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
    const auth = { type: "kubeconfig", secret: "ebb/test", ...(context === undefined ? {} : { context }) } as const;
    return clusters.connect({ name: "test", spec: { auth } }, soon());
  };
  /** From a file that this run was started with. */
  const fromFile = async (name: string) => {
    const file = join(folder, name);
    const clusters = clustersWith({ now: () => now, kubeconfigs: [{ file }] });
    opened.push(clusters);
    return clusters.connect({ name: "test", spec: { auth: { type: "kubeconfig", file } } }, soon());
  };
  const fromGiven = async (parts: Parts) => {
    await writeFile(join(folder, "config"), kubeconfig(parts));
    return fromFile("config");
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

  test("one that names another server now gives the first one no credential of it", async () => {
    const other = kubeconfig({ cluster: { server: "https://other.example" }, user: { token: "of-another" } });
    const texts = [kubeconfig({ user: { token: "first" } }), other];
    const clusters = clustersWith({ secrets: () => Promise.resolve(texts.shift() ?? other) });
    opened.push(clusters);
    const auth = { type: "kubeconfig", secret: "ebb/test" } as const;
    const cluster = await clusters.connect({ name: "test", spec: { auth } }, soon());
    server.reply = (_request, response) => json(response, 401, {});
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({
      kind: "unauthorized",
      message: "the kubeconfig now names another server, which ebb connects to within 10 minutes",
    });
    expect(new Set(server.received.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer first"]));
  });

  test("impersonation is passed on", async () => {
    await (await fromSecret(kubeconfig({ user: { token: "abc", as: "jane" } }))).getScale(web, soon());
    expect(server.received.at(-1)?.headers["impersonate-user"]).toBe("jane");
  });

  test("from a file, with a CA, a token file and a certificate beside it, named relatively", async () => {
    await writeFile(join(folder, "ca.pem"), certificates.ca);
    await writeFile(join(folder, "cert.pem"), certificates.client.cert);
    planted(join(folder, "key.pem"));
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
    const cluster = await fromGiven({ user: { exec } });
    await cluster.getScale(web, soon());
    now += 60_000;
    await cluster.getScale(web, soon());
    expect(authorization()).toBe("Bearer exec-1");
    server.reply = ({ headers }, response) =>
      headers.authorization === "Bearer exec-2" ? json(response, 200, scale(5)) : json(response, 401, {});
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(5);
  });

  test.each([
    ["failure", 'console.error("please log in: hunter2"); process.exit(1)', "its exec plugin failed"],
    ["odd output", 'console.log("hunter2")', "its exec plugin failed"],
  ])("an exec plugin's %s does not show what it printed", async (_name, code, why) => {
    const exec = { command: process.execPath, args: ["-e", code] };
    await expect((await fromGiven({ user: { exec } })).getScale(web, soon())).rejects.toMatchObject({
      kind: "unauthorized",
      message: `auth.file ${join(folder, "config")}: no credential from its user (${why}); run kubectl with it to see more: ebb shows no output of a plugin`,
    });
  });

  test("an exec plugin that is not there is not named", async () => {
    const exec = { command: "/nowhere/hunter2" };
    await expect((await fromGiven({ user: { exec } })).getScale(web, soon())).rejects.toMatchObject({
      kind: "unauthorized",
      message: `auth.file ${join(folder, "config")}: no credential from its user (ENOENT); run kubectl with it to see more: ebb shows no output of a plugin`,
    });
  });

  test("is read again after a 401", async () => {
    const texts = [kubeconfig({ user: { token: "old" } }), kubeconfig({ user: { token: "new" } })];
    const clusters = clustersWith({ now: () => now, secrets: () => Promise.resolve(texts.shift() ?? "") });
    opened.push(clusters);
    const cluster = await clusters.connect(
      { name: "test", spec: { auth: { type: "kubeconfig", secret: "ebb/test" } } },
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
    const spec = { auth: { type: "kubeconfig", secret: "ebb/test" } } as const;
    const first = await clusters.connect({ name: "test", spec }, soon());
    expect(await clusters.connect({ name: "test", spec }, soon())).toBe(first);
    now += 600_000;
    expect(await clusters.connect({ name: "test", spec }, soon())).not.toBe(first);
  });

  test.each([
    [
      "insecure-skip-tls-verify",
      { cluster: { "insecure-skip-tls-verify": true } },
      "auth.secret ebb/test: its cluster: insecure-skip-tls-verify is not allowed; set certificate-authority-data to the private CA",
    ],
    [
      "a proxy",
      { cluster: { "proxy-url": "http://proxy:3128" } },
      "auth.secret ebb/test: its cluster: proxy-url is not supported",
    ],
    [
      "plain http elsewhere",
      { cluster: { server: "http://10.0.0.1" } },
      "the kubeconfig's server: expected https, got http://10.0.0.1: plain http is allowed only to this machine",
    ],
    [
      "an unknown current context",
      { current: "none" },
      "auth.secret ebb/test: expected its current-context, got 3 with other names",
    ],
    [
      "a context without its cluster",
      { current: "dangling" },
      "auth.secret ebb/test: the context: expected the cluster that it names, got 1 with other names",
    ],
  ])("with %s is refused", async (_name, parts, message) => {
    await expect(fromSecret(kubeconfig(parts))).rejects.toMatchObject({ kind: "badEntry", message });
  });

  test("a file with an unreadable CA file is refused", async () => {
    const where = `auth.file ${join(folder, "config")}`;
    const why = "got ENOENT";
    await expect(fromGiven({ cluster: { "certificate-authority": "/nowhere/ca.pem" } })).rejects.toMatchObject({
      kind: "badEntry",
      message: `${where}: cluster c: expected certificate-authority to be a readable file, ${why}`,
    });
  });

  test.each([
    ["not YAML", "a: [", /^auth\.secret ebb\/test: expected a kubeconfig: /],
    ["a word", "hello", "auth.secret ebb/test: expected a kubeconfig: expected a document"],
    ["no kubeconfig", "{}", "auth.secret ebb/test: expected its current-context, got none"],
  ])("that is %s is refused", async (_name, text, message) => {
    const outcome = fromSecret(text);
    await expect(outcome).rejects.toMatchObject({ kind: "badEntry" });
    await expect(outcome).rejects.toThrow(message);
  });

  test("a missing file is refused", async () => {
    await expect(fromFile("none")).rejects.toMatchObject({ kind: "badEntry" });
    await expect(fromFile("none")).rejects.toThrow(/^auth\.file .*none: expected a readable kubeconfig: ENOENT/);
  });

  describe("an entry alone", () => {
    const canary = () => join(folder, "canary");
    const plugin = () => ({
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", `require("fs").writeFileSync(${JSON.stringify(canary())}, "")`],
    });
    const connect = async (
      auth: ClusterAuth,
      kubeconfigs?: readonly GivenKubeconfig[],
      spec: Partial<ClusterSpec> = {},
    ) => {
      const secrets = () => readFile(join(folder, "planted"), "utf8");
      const clusters = clustersWith({ now: () => now, secrets, ...(kubeconfigs && { kubeconfigs }) });
      opened.push(clusters);
      const cluster = await clusters.connect({ name: "test", spec: { auth, ...spec } }, soon());
      return cluster.getScale(web, soon());
    };
    const planted = () => ({ type: "kubeconfig", file: join(folder, "planted") }) as const;
    beforeEach(() => writeFile(join(folder, "planted"), kubeconfig({ user: { exec: plugin() } })));
    afterEach(async () => {
      // Neither a command has run nor a request been sent.
      await expect(access(canary())).rejects.toThrow("ENOENT");
      expect(server.received).toEqual([]);
    });

    test.each<[string, () => readonly GivenKubeconfig[] | undefined]>([
      ["none", () => undefined],
      ["another file", () => [{ file: join(folder, "mine") }]],
      ["a file whose name begins like it", () => [{ file: join(folder, "planted2") }, { file: folder }]],
      ["another context of the same file", () => [{ file: join(folder, "planted"), context: "second" }]],
    ])("gets no file if this run was started with %s", async (_case, given) => {
      await expect(connect(planted(), given())).rejects.toMatchObject({
        kind: "forbidden",
        message: expect.stringMatching(
          /^auth\.file .*planted: expected the kubeconfig that this run was started/,
        ) as string,
      });
    });

    test("chooses no other context of the given file", async () => {
      const file = join(folder, "planted");
      await expect(connect({ ...planted(), context: "second" }, [{ file }])).rejects.toMatchObject({
        kind: "forbidden",
        message: expect.stringContaining("planted, context second: expected") as string,
      });
    });

    test.each<[string, object, string]>([
      ["command", { exec: { command: "/bin/true" } }, "its user: exec is only for"],
      ["token file", { tokenFile: "/etc/passwd" }, "its user: tokenFile or auth-provider is only for"],
      ["auth provider", { "auth-provider": { name: "gcp", config: {} } }, "its user: tokenFile or auth-provider"],
      ["certificate file", { "client-certificate": "/etc/passwd" }, "its user: client-certificate is only for"],
      ["key file", { "client-key": "/etc/passwd" }, "its user: client-key is only for"],
    ])("gets no %s through a secret", async (_case, user, message) => {
      await writeFile(join(folder, "planted"), kubeconfig({ user: { token: "t", ...user } }));
      await expect(connect({ type: "kubeconfig", secret: "ebb/test" })).rejects.toMatchObject({
        kind: "badEntry",
        message: expect.stringContaining(`auth.secret ebb/test: ${message}`) as string,
      });
    });

    test("gets no CA file through a secret", async () => {
      const cluster = { "certificate-authority": "/etc/passwd" };
      await writeFile(join(folder, "planted"), kubeconfig({ cluster, user: { token: "t" } }));
      await expect(connect({ type: "kubeconfig", secret: "ebb/test" })).rejects.toMatchObject({
        kind: "badEntry",
        message: "auth.secret ebb/test: its cluster: certificate-authority is a file; use certificate-authority-data",
      });
    });

    test("runs no command through a secret", async () => {
      await expect(connect({ type: "kubeconfig", secret: "ebb/test" })).rejects.toMatchObject({ kind: "badEntry" });
    });

    test.each<[string, () => Partial<ClusterSpec>]>([
      ["endpoint", () => ({ endpoint: "https://evil.example" })],
      ["certificateAuthorityData", () => ({ certificateAuthorityData: base64(certificates.server.cert) })],
      ["tlsServerName", () => ({ tlsServerName: "evil.example" })],
    ])("does not send the given kubeconfig's token to another %s", async (field, spec) => {
      const file = join(folder, "planted");
      await writeFile(file, kubeconfig({ user: { token: "admin" } }));
      await expect(connect(planted(), [{ file }], spec())).rejects.toMatchObject({
        kind: "badEntry",
        message: `spec.${field}: expected nothing, or the same as in the kubeconfig of auth.file`,
      });
    });
  });

  test("an entry may repeat what the given kubeconfig says", async () => {
    const file = join(folder, "mine");
    await writeFile(file, kubeconfig({ user: { token: "mine" } }));
    const clusters = clustersWith({ now: () => now, kubeconfigs: [{ file, anyContext: true }] });
    opened.push(clusters);
    const spec = { endpoint: `${server.url}/`, certificateAuthorityData: base64(certificates.ca) };
    const auth = { type: "kubeconfig", file, context: "main" } as const;
    const cluster = await clusters.connect({ name: "test", spec: { ...spec, auth } }, soon());
    await cluster.getScale(web, soon());
    expect(authorization()).toBe("Bearer mine");
  });
});
