import type { TLSSocket } from "node:tls";
import { discovering, json, scale, startTlsServer, type TestServer } from "./api-server";
import { base64, makeCertificates } from "./certificates";
import type { ClusterSpec } from "../../lib/model/entry/entries";
import { boundSecret, clustersWith, entry, secret, soon, web } from "./connect";

describe("TLS", () => {
  let certificates: Awaited<ReturnType<typeof makeCertificates>>;
  let server: TestServer;
  const opened: { close(): void }[] = [];

  const read = async (spec: Parameters<typeof entry>[1], deps: Parameters<typeof clustersWith>[0] = {}) => {
    const clusters = clustersWith(deps);
    opened.push(clusters);
    return (await clusters.connect(entry(server.url, spec), soon())).getScale(web, soon());
  };
  const certificateSecret = (spec: ClusterSpec, { cert, key } = certificates.client) =>
    boundSecret({ ...spec, endpoint: server.url }, { certificate: cert, key });
  const privateCa = () => ({ certificateAuthorityData: base64(certificates.ca) });

  beforeAll(async () => {
    certificates = await makeCertificates();
  });
  beforeEach(async () => {
    server = await startTlsServer(certificates);
  });
  afterEach(async () => {
    opened.splice(0).forEach((clusters) => clusters.close());
    await server.stop();
  });

  test("a server whose CA the entry names is trusted", async () => {
    expect((await read(privateCa())).spec.replicas).toBe(3);
  });

  test("a server of an unknown CA is refused before anything is sent", async () => {
    await expect(read({})).rejects.toMatchObject({ kind: "unreachable" });
    await expect(read({})).rejects.toThrow(
      /^https:\/\/127\.0\.0\.1:\d+: its certificate is not signed by a trusted CA .*; set certificateAuthorityData to its CA \(get \/apis\)$/,
    );
    expect(server.received).toEqual([]);
  });

  test("verification cannot be turned off from the environment", async () => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      await expect(read({})).rejects.toMatchObject({ kind: "unreachable" });
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
    expect(server.received).toEqual([]);
  });

  test("another CA than the server's is no help", async () => {
    const other = await makeCertificates();
    await expect(read({ certificateAuthorityData: base64(other.ca) })).rejects.toThrow(/not signed by a trusted CA/);
  });

  test("tlsServerName is the name that is checked", async () => {
    expect((await read({ ...privateCa(), tlsServerName: "api.internal" })).spec.replicas).toBe(3);
    await expect(read({ ...privateCa(), tlsServerName: "elsewhere.internal" })).rejects.toThrow(
      /its certificate is for another name .*; set tlsServerName to the name on the certificate/,
    );
  });

  test("a client certificate from a secret is shown to the server", async () => {
    const shown: unknown[] = [];
    server.reply = discovering((_request, response) => {
      shown.push((response.socket as TLSSocket).getPeerCertificate().subject?.CN);
      json(response, 200, scale(3));
    });
    const spec = { ...privateCa(), auth: { type: "clientCertificate", secret } } as const;
    await read(spec, { secrets: () => Promise.resolve(certificateSecret(spec)) });
    expect(shown).toEqual(["ebb"]);
    expect(server.received.at(-1)?.headers.authorization).toBeUndefined();
  });

  test("a client certificate that was exchanged after a 401 is used on new connections", async () => {
    const next = await makeCertificates();
    const spec = { ...privateCa(), auth: { type: "clientCertificate", secret } } as const;
    const secrets = [certificates.client, next.client].map((client) => certificateSecret(spec, client));
    const fingerprints: string[] = [];
    server.reply = discovering((_request, response) => {
      fingerprints.push((response.socket as TLSSocket).getPeerCertificate().fingerprint256);
      json(response, fingerprints.length === 1 ? 401 : 200, fingerprints.length === 1 ? {} : scale(3));
    });
    await read(spec, { secrets: () => Promise.resolve(secrets.shift() ?? "") });
    expect(new Set(fingerprints).size).toBe(2);
  });

  test.each([
    [
      "no JSON",
      () => "hello",
      /^auth\.secret ebb\/test: expected JSON \{"endpoint".*"certificate": <PEM>.*got no JSON/,
    ],
    [
      "no key",
      (spec: ClusterSpec) => boundSecret(spec, { certificate: "-----BEGIN" }),
      /^auth\.secret ebb\/test: expected "certificate": <PEM>, "key": <PEM> beside its endpoint$/,
    ],
    [
      "nonsense",
      (spec: ClusterSpec) => boundSecret(spec, { certificate: "-----BEGIN hello", key: "y" }),
      /^auth: expected a client certificate and its key in PEM/,
    ],
  ])(
    "a client certificate secret with %s is a bad entry that does not show the secret",
    async (_name, text, message) => {
      const spec = { ...privateCa(), auth: { type: "clientCertificate", secret } } as const;
      const outcome = read(spec, { secrets: () => Promise.resolve(text({ ...spec, endpoint: server.url })) });
      await expect(outcome).rejects.toMatchObject({ kind: "badEntry" });
      await expect(outcome).rejects.toThrow(message);
      await expect(outcome).rejects.not.toThrow(/hello/);
    },
  );
});

describe("a cluster entry", () => {
  const clusters = clustersWith();

  test.each([
    [
      "http to another machine",
      "http://10.0.0.1:8080",
      {},
      "spec.endpoint: expected https, got http://10.0.0.1:8080: plain http is allowed only to this machine",
    ],
    [
      "http to a name",
      "http://localhost.example.com",
      {},
      "spec.endpoint: expected https, got http://localhost.example.com: plain http is allowed only to this machine",
    ],
    ["no address", "api.example.com", {}, 'spec.endpoint: expected https://host[:port][/path], got "api.example.com"'],
    [
      "another protocol",
      "ftp://api.example.com",
      {},
      'spec.endpoint: expected https://host[:port][/path], got "ftp://api.example.com"',
    ],
    [
      "a query",
      "https://api.example.com/?x=1",
      {},
      'spec.endpoint: expected an address without a query or fragment, got "https://api.example.com/?x=1"',
    ],
    [
      "a password",
      "https://me:hidden@api.example.com",
      {},
      "spec.endpoint: expected an address without a user name or password in it; use auth for these",
    ],
    [
      "a malformed CA",
      "https://api.example.com",
      { certificateAuthorityData: "aGVsbG8=" },
      'spec.certificateAuthorityData: expected base64 of a PEM certificate, got "aGVsbG8="',
    ],
  ])("with %s is refused, naming the field", async (_name, endpoint, spec, message) => {
    await expect(clusters.connect(entry(endpoint, spec), soon())).rejects.toMatchObject({ kind: "badEntry", message });
  });

  test("without an endpoint is refused", async () => {
    const spec = { auth: { type: "token", secret } } as const;
    await expect(clusters.connect({ name: "test", spec }, soon())).rejects.toMatchObject({
      kind: "badEntry",
      message: "spec.endpoint: expected https://host[:port][/path], got nothing",
    });
  });

  test.each(["http://localhost:1", "http://127.0.0.2:1", "http://[::1]:1", "https://api.example.com/k8s/clusters/c-1"])(
    "may name %s",
    async (endpoint) => {
      await expect(clusters.connect(entry(endpoint), soon())).resolves.toBeDefined();
    },
  );
});
