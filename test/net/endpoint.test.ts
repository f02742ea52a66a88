import { onThisMachine } from "../../lib/net/address";
import { type AddressField, readCertificateAuthority, readEndpoint } from "../../lib/net/endpoint";
import { makeCertificates } from "../cluster/certificates";

const deployed = { loopback: false, allowedHosts: [] };
const field = { name: "endpoint" };
const redis = { secure: "rediss", plain: "redis" };

const read = (text: string, more: Partial<AddressField> = {}, rules = onThisMachine) =>
  readEndpoint(text, { ...field, ...more }, rules);

test.each<[string, Partial<AddressField>]>([
  ["https://api.example.com", {}],
  ["https://api.example.com:8443/base", {}],
  ["http://localhost", {}],
  ["http://LOCALHOST:1", {}],
  ["http://127.0.0.1:1", {}],
  ["http://127.10.20.30", {}],
  ["http://[::1]:1", {}],
  ["http://api.example.com", { mayBePlain: true }],
  ["rediss://a:1", { schemes: redis }],
  ["redis://127.0.0.1:1", { schemes: redis }],
])("%s is an address with %j", (text, more) => {
  expect(read(text, more).href).toBe(new URL(text).href);
});

const httpForm = "endpoint: expected https://host[:port][/path], got ";
test.each<[string, Partial<AddressField>, string]>([
  ["api.example.com", {}, `${httpForm}"api.example.com"`],
  ["ftp://api.example.com", {}, `${httpForm}"ftp://api.example.com"`],
  [
    "ftp://me:pw@api.example.com",
    {},
    "endpoint: expected an address without a user name or password in it; use auth for these",
  ],
  [
    "https://me@api.example.com",
    {},
    "endpoint: expected an address without a user name or password in it; use auth for these",
  ],
  [
    "https://:pw@api.example.com",
    {},
    "endpoint: expected an address without a user name or password in it; use auth for these",
  ],
  ["me:p@w@no host", {}, `${httpForm}"…@no host"`],
  ["https://me:p@w@no host", {}, `${httpForm}"https://…@no host"`],
  ["x", { secret: true }, `${httpForm}something else`],
  ["https://a:1", { schemes: redis }, 'endpoint: expected rediss://host:port, got "https://a:1"'],
  ["https://a/?q=1", {}, 'endpoint: expected an address without a query or fragment, got "https://a/?q=1"'],
  ["https://a/#f", {}, 'endpoint: expected an address without a query or fragment, got "https://a/#f"'],
  ["https://a/#f", { secret: true }, "endpoint: expected an address without a query or fragment, got something else"],
  [
    "http://x127.0.0.1.example.com",
    {},
    "endpoint: expected https, got http://x127.0.0.1.example.com: plain http is allowed only to this machine",
  ],
  [
    "http://127.0.0.1.example.com:1",
    {},
    "endpoint: expected https, got http://127.0.0.1.example.com:1: plain http is allowed only to this machine",
  ],
  [
    "http://localhost.example.com",
    {},
    "endpoint: expected https, got http://localhost.example.com: plain http is allowed only to this machine",
  ],
  [
    "redis://x127.0.0.1:1",
    { schemes: redis },
    "endpoint: expected rediss, got redis://x127.0.0.1:1: plain redis is allowed only to this machine",
  ],
  [
    "redis://127.0.0.1x:1",
    { schemes: redis },
    "endpoint: expected rediss, got redis://127.0.0.1x:1: plain redis is allowed only to this machine",
  ],
  [
    "redis://a:1",
    { schemes: redis },
    "endpoint: expected rediss, got redis://a:1: plain redis is allowed only to this machine",
  ],
])("%s with %j is none", (text, more, message) => {
  expect(() => read(text, more)).toThrow(expect.objectContaining({ kind: "badEntry", message }) as Error);
});

test.each<[string, Partial<AddressField>, object, string]>([
  [
    "http://localhost",
    {},
    {},
    "endpoint: expected https, got http://localhost: a deployed function uses no plain http",
  ],
  [
    "https://127.0.0.1",
    {},
    {},
    "endpoint: ebb does not connect to a loopback address (127.0.0.1); the deployment's allowedHosts allows a host by name",
  ],
  [
    "https://[fe80::1]",
    {},
    {},
    "endpoint: ebb does not connect to a link-local address (fe80::1); the deployment's allowedHosts allows a host by name",
  ],
  [
    "https://b.org",
    {},
    { onlyHosts: ["a.org"] },
    "endpoint: expected a host that the deployment's sourceHosts allows, got b.org",
  ],
  [
    "https://b.org",
    { secret: true },
    { onlyHosts: ["a.org"] },
    "endpoint: expected a host that the deployment's sourceHosts allows, got another",
  ],
])("a deployed function refuses %s with %j and %j", (text, more, rules, message) => {
  expect(() => read(text, more, { ...deployed, ...rules })).toThrow(
    expect.objectContaining({ kind: "badEntry", message }) as Error,
  );
});

test("a deployed function may use plain http where no credential goes, and hosts that are allowed", () => {
  expect(read("http://stats.example.com", { mayBePlain: true }, deployed).protocol).toBe("http:");
  expect(read("https://127.0.0.1", {}, { ...deployed, allowedHosts: ["127.0.0.1"] }).hostname).toBe("127.0.0.1");
});

test("a certificate authority is base64 of PEM, and a long text is not shown whole", async () => {
  const { ca } = await makeCertificates();
  expect(readCertificateAuthority(Buffer.from(ca).toString("base64"), "ca")).toBe(ca);
  const refused = (data: string, shown: string) =>
    expect(() => readCertificateAuthority(data, "ca")).toThrow(
      expect.objectContaining({
        ...{ kind: "badEntry", message: `ca: expected base64 of a PEM certificate, got ${shown}` },
        cause: expect.any(Error) as Error,
      }) as Error,
    );
  refused("a".repeat(40), `"${"a".repeat(40)}"`);
  refused("a".repeat(41), `41 characters starting "${"a".repeat(24)}"`);
});
