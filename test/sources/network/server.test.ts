import { onThisMachine } from "../../../lib/net/address";
import { jsonIn } from "../../../lib/sources/network/as-reading";
import { readServer, type ServerParameters } from "../../../lib/sources/network/server";
import { memberOf, readTcpServer, type TcpParameters } from "../../../lib/sources/network/tcp-server";
import { base64, makeCertificates } from "../../cluster/certificates";

const schemes = { secure: "rediss", plain: "redis" };
const web = (url: string, parameters: ServerParameters = {}) => readServer(url, parameters, onThisMachine);
const tcp = (parameters: TcpParameters) => readTcpServer(parameters, { schemes, addresses: onThisMachine });
const via = { namespace: "shop", service: "stats", port: "9090" };
const badEntry = (message: string) => expect.objectContaining({ kind: "badEntry", message }) as Error;

describe("a server of HTTP", () => {
  test("has the entry's address, secret and seconds", () => {
    const read = web("https://stats.example.com/base", { secret: "ebb/prod/x", timeoutSeconds: 2, tlsServerName: "n" });
    const endpoint = { url: new URL("https://stats.example.com/base"), tlsServerName: "n" };
    expect(read).toStrictEqual({ endpoint, secret: "ebb/prod/x", timeoutMs: 2_000 });
  });

  test("may be plain where no secret goes, has five seconds, and no TLS of its own", () => {
    const endpoint = { url: new URL("http://stats.example.com") };
    expect(web("http://stats.example.com")).toStrictEqual({ endpoint, secret: undefined, timeoutMs: 5_000 });
    expect(() => web("http://stats.example.com", { secret: "ebb/prod/x" })).toThrow("is allowed only to this machine");
  });

  test("may have a certificate authority", async () => {
    const { ca } = await makeCertificates();
    expect(web("https://a.example", { certificateAuthorityData: base64(ca) }).endpoint.certificateAuthority).toBe(ca);
    expect(() => web("https://a.example", { certificateAuthorityData: "x" })).toThrow(
      badEntry('parameter certificateAuthorityData: expected base64 of a PEM certificate, got "x"'),
    );
  });

  test.each(["/metrics", "ftp://a.example", "xhttps://a.example", ""])("is not at %j", (url) => {
    expect(() => web(url)).toThrow(
      /^parameter url: expected https:\/\/host\[:port\]\[\/path\], or via for a path, got /,
    );
  });
});

describe("a service behind the API server", () => {
  test.each<[string, ServerParameters["via"] & object, string, object]>([
    ["/metrics", via, "http://stats.shop.svc:9090/metrics", { ...via, scheme: "http" }],
    ["", { ...via, scheme: "https" }, "https://stats.shop.svc:9090/", { ...via, scheme: "https" }],
    ["/", { ...via, port: "web" }, "http://stats.shop.svc/", { ...via, port: "web", scheme: "http" }],
    ["/", { ...via, port: "9x" }, "http://stats.shop.svc/", { ...via, port: "9x", scheme: "http" }],
    ["/", { ...via, port: "x9" }, "http://stats.shop.svc/", { ...via, port: "x9", scheme: "http" }],
  ])("at the path %j of %j is %s", (path, of, url, service) => {
    expect(web(path, { via: of, timeoutSeconds: 3 })).toStrictEqual({
      ...{ endpoint: { url: new URL(url) }, via: service, timeoutMs: 3_000 },
    });
    expect(web(path, { via: of }).timeoutMs).toBe(5_000);
  });

  test.each(["metrics", "https://a.example", "/a?b", "/a#b", "x/a"])("is not at the path %j", (path) => {
    expect(() => web(path, { via })).toThrow(
      /^parameter url: expected a path such as \/prometheus, because via names the server, got /,
    );
  });

  test.each(["secret", "certificateAuthorityData", "tlsServerName"])("has no %s", (name) => {
    expect(() => web("/", { via, [name]: "x" })).toThrow(
      badEntry(
        `parameter ${name}: expected nothing beside via: the API server forwards no credential and checks no certificate, got "one"`,
      ),
    );
  });
});

describe("a server of TCP", () => {
  test("has TLS, and the members of its list", () => {
    expect(tcp({ address: "a.example:1, b.example:2", secret: "ebb/prod/x", timeoutSeconds: 3 })).toStrictEqual({
      ...{ schemes, isSecure: true, secret: "ebb/prod/x", timeoutMs: 3_000 },
      endpoint: { url: new URL("rediss://a.example:1") },
      peers: [
        { host: "a.example", port: 1 },
        { host: "b.example", port: 2 },
      ],
    });
    expect(tcp({ address: "a.example:1", tls: false }).endpoint.url.href).toBe("redis://a.example:1");
  });

  test.each<[string, number]>([
    ["9090", 9_090],
    ["web", 0],
    ["9x", 0],
    ["x9", 0],
  ])("behind the API server has no TLS of its own, at the port %s", (port, expected) => {
    const read = tcp({ via: { ...via, port } });
    expect(read).toMatchObject({ isSecure: false, timeoutMs: 5_000, via: { ...via, port } });
    expect(read.peers).toEqual([{ host: "stats.shop.svc", port: expected }]);
    expect(tcp({ via, tls: true, tlsServerName: "n" })).toMatchObject({
      ...{ isSecure: true, endpoint: { tlsServerName: "n" } },
    });
  });

  test.each([
    ["stats.shop.svc", 9_090, {}],
    ["stats.shop.svc", 9_091, { member: { host: "stats.shop.svc", port: 9_091 } }],
    ["10.0.0.1", 9_090, { member: { host: "10.0.0.1", port: 9_090 } }],
  ])("behind the API server is the service itself, or its member: %s:%i", (host, port, expected) => {
    expect(memberOf({ host, port }, tcp({ via }))).toEqual(expected);
  });

  test("has one address, of its own or the service's", () => {
    expect(() => tcp({ via, address: "a:1" })).toThrow(
      badEntry('parameter address: expected nothing beside via, which names the server, got "a:1"'),
    );
    expect(() => tcp({})).toThrow(
      badEntry("parameter address: expected host:port, or several with commas, got nothing"),
    );
    expect(() => tcp({ address: "a:1", certificateAuthorityData: "x" })).toThrow(
      badEntry('parameter certificateAuthorityData: expected base64 of a PEM certificate, got "x"'),
    );
  });
});

test.each<[string, string]>([
  ["", "expected JSON, got an empty answer"],
  ["<html>", "expected JSON, got HTML or XML"],
  ["{", "expected JSON, got something else"],
  ['{\0"\0', "expected JSON, got text that is no UTF-8"],
])("a body %j is no JSON", (body, message) => {
  expect(() => jsonIn(Buffer.from(body))).toThrow(expect.objectContaining({ kind: "badAnswer", message }) as Error);
  expect(jsonIn(Buffer.from('{"a":"ä"}'))).toEqual({ a: "ä" });
});
