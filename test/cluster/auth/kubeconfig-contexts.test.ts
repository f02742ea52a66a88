import { readKubeconfig } from "../../../lib/cluster/auth/kubeconfig-auth";

const cluster = (name: string, more: object = {}) => ({
  name,
  cluster: { server: `https://${name}.example`, ...more },
});
const context = (name: string, of: string) => ({ name, context: { cluster: of, user: "u" } });
const config = (more: object = {}) =>
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "main" },
    users: [{ name: "u", user: { token: "t0k3n" } }],
    clusters: [cluster("prod"), cluster("test")],
    contexts: [context("main", "prod"), context("second", "test"), context("dangling", "gone")],
    ...more,
  });

const file = "/home/me/.kube/config";
const read = (text: string, more: { file?: string; context?: string } = {}) =>
  readKubeconfig({ text, where: "auth", ...more });

test("the current context is read, or the one that is named, with what its cluster says", () => {
  expect(read(config())).toMatchObject({ context: "main", server: "https://prod.example" });
  expect(read(config(), { context: "second" })).toMatchObject({ context: "second", server: "https://test.example" });
  expect(read(config())).not.toHaveProperty("tlsServerName");
  expect(read(config())).not.toHaveProperty("certificateAuthority");
  const more = { "tls-server-name": "api", "certificate-authority-data": Buffer.from("PEM").toString("base64") };
  expect(read(config({ clusters: [cluster("prod", more)] }))).toMatchObject({
    ...{ tlsServerName: "api", certificateAuthority: "PEM" },
  });
});

test("its user's token is the credential", async () => {
  expect(await read(config()).credential()).toEqual({ headers: { Authorization: "Bearer t0k3n" } });
});

test("its client certificate is the credential, if its key is there", async () => {
  const [certificate, key] = ["CERT", "KEY"].map((text) => Buffer.from(text).toString("base64"));
  const credentialOf = (user: object) => read(config({ users: [{ name: "u", user }] })).credential();
  const pair = { "client-certificate-data": certificate, "client-key-data": key };
  expect(await credentialOf(pair)).toEqual({ headers: {}, certificate: { certificate: "CERT", key: "KEY" } });
  expect(await credentialOf({ "client-certificate-data": certificate })).toEqual({ headers: {} });
  expect(await credentialOf({ "client-key-data": key })).toEqual({ headers: {} });
  expect(await credentialOf({ ...pair, exec: null, tokenFile: null })).toMatchObject({ headers: {} });
});

test.each<[string, object, string]>([
  [
    "whose plugin fails",
    { exec: { command: "/does/not/exist", apiVersion: "client.authentication.k8s.io/v1" } },
    "ENOENT|its exec plugin failed",
  ],
  ["whose token's file is missing", { tokenFile: "/does/not/exist" }, "ENOENT"],
])("a user %s has no credential, and its owner may have one", async (_what, user, why) => {
  const known = read(config({ users: [{ name: "u", user }] }), { file });
  await expect(known.credential()).rejects.toMatchObject({
    ...{ kind: "unauthorized", lack: "login" },
    message: expect.stringMatching(
      new RegExp(`^auth: no credential from its user \\((${why})\\); run kubectl with it to see more`),
    ) as string,
  });
});

test.each<[string, string, { file?: string; context?: string }, string]>([
  ["another context in a file", config(), { file, context: "x" }, 'a context "x", got main, second, dangling'],
  ["another context in a secret", config(), { context: "x" }, 'a context "x", got 3 with other names'],
  [
    "no current context in a file",
    config({ "current-context": undefined }),
    { file },
    'a context "", got main, second, dangling',
  ],
  [
    "a current context of another name in a secret",
    config({ "current-context": "x" }),
    {},
    "its current-context, got 3 with other names",
  ],
  ["no contexts", config({ contexts: [] }), {}, "its current-context, got none"],
])("%s is an error, and the names in a secret are not shown", (_what, text, more, expected) => {
  expect(() => read(text, more)).toThrow(
    expect.objectContaining({ kind: "badEntry", message: `auth: expected ${expected}` }) as Error,
  );
});

test.each<[string, { file?: string }, string]>([
  ["in a file", { file }, "context dangling: expected the cluster that it names, got prod, test"],
  ["in a secret", {}, "the context: expected the cluster that it names, got 2 with other names"],
])("a context whose cluster is missing %s", (_what, more, expected) => {
  expect(() => read(config(), { context: "dangling", ...more })).toThrow(`auth: ${expected}`);
});

test.each<[string, object, string]>([
  ["without TLS checks", { "insecure-skip-tls-verify": true }, "insecure-skip-tls-verify is not allowed"],
  ["behind a proxy", { "proxy-url": "http://proxy" }, "proxy-url is not supported"],
])("a cluster %s is refused", (_what, more, expected) => {
  const text = config({ clusters: [cluster("prod", more)] });
  expect(() => read(text, { file })).toThrow(`auth: cluster prod: ${expected}`);
  expect(() => read(text)).toThrow(`auth: its cluster: ${expected}`);
});

test("an empty proxy is none", () => {
  expect(read(config({ clusters: [cluster("prod", { "proxy-url": "" })] })).server).toBe("https://prod.example");
});

test.each<[string, object, object, string]>([
  ["certificate-authority", { "certificate-authority": "/etc/ca" }, {}, "its cluster: certificate-authority is a file"],
  [
    "exec",
    {},
    { exec: { command: "aws", apiVersion: "v1" } },
    "its user: exec is only for a kubeconfig that ebb was started with; use a token, or type eks",
  ],
  ["tokenFile", {}, { tokenFile: "/etc/token" }, "its user: tokenFile or auth-provider is only for"],
  ["auth-provider", {}, { "auth-provider": { name: "gcp" } }, "its user: tokenFile or auth-provider is only for"],
  ["client-certificate", {}, { "client-certificate": "/c" }, "its user: client-certificate is only for"],
  ["client-key", {}, { "client-key": "/k" }, "its user: client-key is only for"],
])("a secret with %s would choose a file or a command of this machine", (_what, more, user, expected) => {
  const text = config({ clusters: [cluster("prod", more)], users: [{ name: "u", user }] });
  expect(() => read(text)).toThrow(`auth: ${expected}`);
});

test.each(["{", "[]", "apiVersion: v1\nclusters: 5"])("%j is no kubeconfig", (text) => {
  expect(() => read(text)).toThrow(/^auth: expected (a kubeconfig: .|its current-context, got none)/);
});
