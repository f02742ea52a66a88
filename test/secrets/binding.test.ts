import type { ClusterAuth, ClusterSpec } from "../../lib/model/entry/entries";
import { requireOwnSecret } from "../../lib/secrets/binding";
import { discovering, json, scale, startServer, type TestServer } from "../cluster/api-server";
import { base64, makeCertificates } from "../cluster/certificates";
import { boundSecret, clustersWith, entry, secret, soon, web } from "../cluster/connect";

describe("a cluster's own secrets", () => {
  const arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:";
  const parameter = "arn:aws:ssm:eu-central-1:123456789012:parameter";

  test.each([
    "ebb/prod",
    "ebb/prod/token",
    "ebb/prod/a/b",
    `${arn}ebb/prod/token-AbCdEf`,
    "arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:ebb/prod/token-AbCdEf",
    "ssm:/ebb/prod",
    "ssm:/ebb/prod/token",
    "ssm:/ebb/prod:3",
    `ssm:${parameter}/ebb/prod`,
    `ssm:${parameter}/ebb/prod/token:label`,
  ])("%s", (name) => {
    expect(() => requireOwnSecret("prod", name)).not.toThrow();
  });

  test.each([
    "prod",
    "ebb/other",
    "ebb/prod2",
    "ebb/prod-2/token",
    "ebb/pro",
    "ebb/PROD",
    "ebb//prod",
    "/ebb/prod",
    " ebb/prod",
    "ebb/other/ebb/prod",
    "ebb/*",
    `${arn}ebb/other/token-AbCdEf`,
    // Either ebb/prod, or the beginning of an ARN of another cluster's ebb/prod-canary.
    `${arn}ebb/prod-canary`,
    `${arn}ebb/prod`,
    "arn:aws:secretsmanager:evil.example/#:123456789012:secret:ebb/prod/x",
    "arn:aws:secretsmanager::123456789012:secret:ebb/prod/x",
    "arn:aws:ssm:eu-central-1:123456789012:parameter/ebb/prod",
    "env:EBB_SECRET_PROD",
    "ssm:ebb/prod",
    "ssm:/ebb/other",
    "ssm:/ebb/prod2",
    "ssm:/other/ebb/prod",
    `ssm:${parameter}/ebb/other`,
    "ssm:arn:aws:ssm:evil.example/#:123456789012:parameter/ebb/prod",
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2ln",
  ])("are not %s, and it is not quoted", (name) => {
    expect(() => requireOwnSecret("prod", name)).toThrow(
      "auth.secret: expected ebb/prod, ebb/prod/… (or its ARN), ssm:/ebb/prod or ssm:/ebb/prod/…, got another name; a cluster uses only secrets named for it",
    );
  });

  test.each(["prod/token", "prod:3", "a b", "", "ebb/prod\n", "prod#"])(
    "cannot be told apart for a cluster named %j, which may use none",
    (cluster) => {
      for (const name of [`ebb/${cluster}`, `ebb/${cluster}/token`, `ssm:/ebb/${cluster}`])
        expect(() => requireOwnSecret(cluster, name)).toThrow(/^auth\.secret: expected a cluster's name of letters/);
    },
  );
});

/**
 * A secret store in which every cluster's owner keeps a credential for their own API server, and a stranger who may
 * write entries and has a server.
 */
describe("a stranger's server gets nothing", () => {
  let certificates: Awaited<ReturnType<typeof makeCertificates>>;
  let foreign: Awaited<ReturnType<typeof makeCertificates>>;
  let own: TestServer;
  let stranger: TestServer;
  let read: string[];
  const opened: { close(): void }[] = [];

  beforeAll(async () => {
    certificates = await makeCertificates();
    foreign = await makeCertificates();
  });
  beforeEach(async () => {
    read = [];
    const serve = discovering((_request, response) => json(response, 200, scale(3)));
    own = await startServer(serve, certificates.server);
    // The best case for the stranger: the cluster's CA signed the stranger's certificate.
    stranger = await startServer(serve, certificates.server);
  });
  afterEach(async () => {
    opened.splice(0).forEach((clusters) => clusters.close());
    await Promise.all([own.stop(), stranger.stop()]);
  });

  const address = () => ({ endpoint: own.url, certificateAuthorityData: base64(certificates.ca) });
  const kubeconfig = () =>
    JSON.stringify({
      "current-context": "a",
      clusters: [{ name: "c", cluster: { server: own.url, "certificate-authority-data": base64(certificates.ca) } }],
      users: [{ name: "u", user: { token: "t0k3n" } }],
      contexts: [{ name: "a", context: { cluster: "c", user: "u" } }],
    });
  const texts = (): Readonly<Record<string, string>> => ({
    "ebb/test": boundSecret(address(), { token: "t0k3n" }),
    "ebb/test/certificate": boundSecret(address(), {
      certificate: certificates.client.cert,
      key: certificates.client.key,
    }),
    "ebb/test/kubeconfig": kubeconfig(),
    "ssm:/ebb/test": boundSecret(address(), { token: "t0k3n" }),
    "ebb/test/bare": "t0k3n",
    "ebb/test/no-ca": boundSecret({ endpoint: own.url }, { token: "t0k3n" }),
    "ebb/test/no-endpoint": JSON.stringify({ token: "t0k3n" }),
  });
  const ask = async (spec: Partial<ClusterSpec>, name = "test") => {
    const secrets = (asked: string) => {
      read.push(asked);
      return Promise.resolve(texts()[asked] ?? "");
    };
    const clusters = clustersWith({ secrets });
    opened.push(clusters);
    const cluster = await clusters.connect({ ...entry(own.url, { ...address(), ...spec }), name }, soon());
    return cluster.getScale(web, soon());
  };
  const authOf = (type: Exclude<ClusterAuth["type"], "eks">, from: string): ClusterAuth =>
    ({ type, secret: from }) as ClusterAuth;
  const kinds = [
    ["token", "ebb/test"],
    ["token", "ssm:/ebb/test"],
    ["clientCertificate", "ebb/test/certificate"],
    ["kubeconfig", "ebb/test/kubeconfig"],
  ] as const;

  test.each(kinds)("while the owner's own entry works: %s from %s", async (type, from) => {
    expect((await ask({ auth: authOf(type, from) })).spec.replicas).toBe(3);
  });

  test.each(kinds)("when another entry names its %s %s", async (type, from) => {
    await expect(ask({ endpoint: stranger.url, auth: authOf(type, from) }, "x")).rejects.toMatchObject({
      kind: "badEntry",
      message: expect.stringMatching(/^auth\.secret: expected ebb\/x, .*got another name/) as string,
    });
    expect({ read, received: stranger.received, connections: stranger.connections }).toEqual({
      read: [],
      received: [],
      connections: 0,
    });
  });

  test.each(kinds)("when the entry itself, with %s from %s, names another endpoint", async (type, from) => {
    const origin = `auth.secret ${from}`;
    await expect(ask({ endpoint: stranger.url, auth: authOf(type, from) })).rejects.toMatchObject({
      kind: "badEntry",
      message:
        type === "kubeconfig"
          ? "spec.endpoint: expected nothing, or the same as in the kubeconfig of auth.secret"
          : `spec.endpoint: expected the one of ${origin}, got another; correct the entry, or ${origin} if the entry is right`,
    });
    expect(stranger.connections).toBe(0);
  });

  test.each(kinds)("when the entry itself, with %s from %s, names another CA or name", async (type, from) => {
    const auth = authOf(type, from);
    const message = (field: string, got: string) =>
      new RegExp(
        `^spec\\.${field}: expected (the one of .*, got ${got};|nothing, or the same as in the kubeconfig of auth\\.secret)`,
      );
    await expect(ask({ certificateAuthorityData: base64(foreign.ca), auth })).rejects.toThrow(
      message("certificateAuthorityData", "another"),
    );
    await expect(ask({ tlsServerName: "api.internal", auth })).rejects.toThrow(message("tlsServerName", "another"));
    await expect(ask({ endpoint: `${own.url}/k8s/c-2`, auth })).rejects.toThrow(message("endpoint", "another"));
    expect(own.received).toEqual([]);
  });

  test.each([
    ["holds a bare token", "ebb/test/bare", /: expected JSON .*, got no JSON object; docs\/deploy\.md/],
    ["names no endpoint", "ebb/test/no-endpoint", /: expected JSON .*, got no endpoint; docs\/deploy\.md/],
    [
      "names no CA, and the entry does",
      "ebb/test/no-ca",
      /^auth\.secret ebb\/test\/no-ca: expected the entry's certificateAuthorityData, got none; add it there$/,
    ],
  ])("when the secret %s", async (_name, from, message) => {
    const outcome = ask({ auth: { type: "token", secret: from } });
    await expect(outcome).rejects.toMatchObject({ kind: "badEntry" });
    await expect(outcome).rejects.toThrow(message);
    await expect(outcome).rejects.not.toThrow(/t0k3n/);
    expect(own.received).toEqual([]);
  });

  test("when the secret names a CA, and the entry none", async () => {
    const clusters = clustersWith({ secrets: () => Promise.resolve(boundSecret(address(), { token: "t0k3n" })) });
    opened.push(clusters);
    const cluster = await clusters.connect(entry(own.url), soon());
    await expect(cluster.getScale(web, soon())).rejects.toThrow(
      "spec.certificateAuthorityData: expected the one of auth.secret ebb/test, got none; correct the entry, or auth.secret ebb/test if the entry is right",
    );
  });

  test("when a rotated secret is for another server", async () => {
    const bound = [own.url, stranger.url].map((endpoint) =>
      boundSecret({ ...address(), endpoint }, { token: "t0k3n" }),
    );
    const clusters = clustersWith({ secrets: () => Promise.resolve(bound.shift() ?? "") });
    opened.push(clusters);
    own.reply = discovering((_request, response) => json(response, 401, {}));
    const cluster = await clusters.connect(entry(own.url, address()), soon());
    await expect(cluster.getScale(web, soon())).rejects.toThrow(/^spec\.endpoint: expected the one of auth\.secret/);
    expect(stranger.connections).toBe(0);
  });

  test("when a rotated kubeconfig is for another server: the old one does not get the new token", async () => {
    const next = kubeconfig().replace(own.url, stranger.url).replace("t0k3n", "n3xt");
    const rotated = [kubeconfig(), next];
    const clusters = clustersWith({ secrets: () => Promise.resolve(rotated.shift() ?? "") });
    opened.push(clusters);
    own.reply = discovering((_request, response) => json(response, 401, {}));
    const cluster = await clusters.connect({ name: "test", spec: { auth: { type: "kubeconfig", secret } } }, soon());
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({
      kind: "unauthorized",
      message: "the kubeconfig now names another server, which ebb connects to within 10 minutes",
    });
    expect(own.received.filter(({ headers }) => headers.authorization?.includes("n3xt"))).toEqual([]);
  });

  test("when a server redirects: nobody follows", async () => {
    own.reply = (_request, response) => {
      response.writeHead(307, { location: `${stranger.url}/apis` });
      response.end();
    };
    await expect(ask({ auth: { type: "token", secret } })).rejects.toMatchObject({ kind: "badAnswer" });
    expect(stranger.connections).toBe(0);
  });

  test("the same address in another form is the same", async () => {
    const text = boundSecret(
      { endpoint: `${own.url.replace("https", "HTTPS")}/`, certificateAuthorityData: base64(`${certificates.ca}\n\n`) },
      { token: "t0k3n" },
    );
    const clusters = clustersWith({ secrets: () => Promise.resolve(text) });
    opened.push(clusters);
    const cluster = await clusters.connect(entry(own.url, address()), soon());
    expect((await cluster.getScale(web, soon())).spec.replicas).toBe(3);
  });
});
