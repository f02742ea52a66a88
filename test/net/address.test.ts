/** @jest-environment node */
import dns, { type LookupAddress } from "node:dns";
import { type AddressRules, checkedLookup, onThisMachine, refusedAddress } from "../../lib/net/address";
import { openMemory } from "../../lib/net/memory";
import { readEndpoint } from "../../lib/net/endpoint";
import { json, startServer, type TestServer } from "../cluster/api-server";
import { base64, makeCertificates } from "../cluster/certificates";
import { clustersWith, entry, soon, web } from "../cluster/connect";

const deployed: AddressRules = { loopback: false, allowedHosts: [] };
const allowing = (...allowedHosts: string[]): AddressRules => ({ loopback: false, allowedHosts });

/** The DNS answers each lookup with the next of these, and repeats the last. */
function dnsAnswers(...answers: readonly (readonly string[])[]) {
  const left = [...answers];
  const fake = (_host: string, _options: unknown, callback: (error: null, addresses: LookupAddress[]) => void) => {
    const addresses = (left.length > 1 ? left.shift() : left[0]) ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  jest.spyOn(dns, "lookup").mockImplementation(fake as never);
}
afterEach(() => {
  jest.restoreAllMocks();
});

describe("a deployed function connects to no", () => {
  test.each([
    ["127.0.0.1", "a loopback address"],
    ["127.255.255.254", "a loopback address"],
    ["::1", "a loopback address"],
    ["0:0:0:0:0:0:0:1", "a loopback address"],
    ["::ffff:127.0.0.1", "a loopback address"],
    ["::ffff:7f00:1", "a loopback address"],
    ["::127.0.0.1", "a loopback address"],
    ["::ffff:0:127.0.0.1", "a loopback address"],
    ["::ffff:0:7f00:1", "a loopback address"],
    ["64:ff9b::127.0.0.1", "a loopback address"],
    ["2002:7f00:1::1", "a loopback address"],
    ["0.0.0.0", "an unspecified address"],
    ["0.1.2.3", "an unspecified address"],
    ["::", "an unspecified address"],
    ["::ffff:0.0.0.0", "an unspecified address"],
    ["169.254.169.254", "a link-local address"],
    ["169.254.170.2", "a link-local address"],
    ["169.254.170.23", "a link-local address"],
    ["::ffff:169.254.169.254", "a link-local address"],
    ["::ffff:a9fe:a9fe", "a link-local address"],
    ["64:ff9b::a9fe:a9fe", "a link-local address"],
    ["::ffff:0:169.254.169.254", "a link-local address"],
    ["2002:a9fe:a9fe::", "a link-local address"],
    ["fe80::1", "a link-local address"],
    ["fe80::1%eth0", "a link-local address"],
    ["febf:ffff::1", "a link-local address"],
    ["fd00:ec2::254", "a metadata address"],
    ["fd00:ec2::23", "a metadata address"],
    ["100.100.100.200", "a metadata address"],
    ["168.63.129.16", "a metadata address"],
    ["192.0.0.192", "a metadata address"],
    ["fd20:ce::254", "a metadata address"],
    ["::ffff:100.100.100.200", "a metadata address"],
    ["::ffff:0:168.63.129.16", "a metadata address"],
    ["fd00:42::42", "a metadata address"],
    // 169.254.169.254 by each layout of RFC 6052 in the prefix of local NAT64.
    ["64:ff9b:1::a9fe:a9fe", "an address of a translation or tunnel"],
    ["64:ff9b:1:a9fe:a9:fe00::", "an address of a translation or tunnel"],
    ["64:ff9b:1:a9:fe:a9fe::", "an address of a translation or tunnel"],
    ["64:ff9b:1:ff:a9:fea9:fe00:0", "an address of a translation or tunnel"],
    ["64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "an address of a translation or tunnel"],
    // Teredo: the server in clear, the client masked.
    ["2001:0:a9fe:a9fe:8000::1", "an address of a translation or tunnel"],
    ["2001:0:1:1:0:0:5601:5601", "an address of a translation or tunnel"],
    ["192.0.0.1", "an address of network protocols"],
    ["192.0.0.9", "an address of network protocols"],
    ["::ffff:192.0.0.170", "an address of network protocols"],
    ["2001:1::1", "an address of network protocols"],
    ["2001:1ff:ffff::1", "an address of network protocols"],
    ["224.0.0.1", "a multicast address"],
    ["ff02::1", "a multicast address"],
    ["255.255.255.255", "the broadcast address"],
    ["localhost", "not an IP address"],
    ["", "not an IP address"],
  ])("%s: %s", (address, kind) => {
    expect(refusedAddress(address, "api.example", deployed)).toBe(kind);
  });
});

test.each([
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "198.19.0.1",
  "1.1.1.1",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "169.255.0.1",
  "100.100.100.201",
  "192.0.1.1",
  "::ffff:10.0.0.1",
  "::ffff:0:10.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b:2::1",
  "2002:a00:1::1",
  "2600:1f13::1",
  "2001:200::1",
  "2001:4860:4860::8888",
  "fd12:3456::1",
  "fec0::1",
])("a deployed function connects to %s", (address) => {
  expect(refusedAddress(address, "api.example", deployed)).toBeUndefined();
});

/**
 * Every range of IANA's special-purpose registries, by its first and its last address. Private and shared ones are
 * where clusters are. Those for documentation, benchmarks and the like lead to no machine that this one may not reach.
 */
test.each<[string, string, string | undefined]>([
  ["0.0.0.0", "0.255.255.255", "an unspecified address"],
  ["10.0.0.0", "10.255.255.255", undefined],
  ["100.64.0.0", "100.127.255.255", undefined],
  ["127.0.0.0", "127.255.255.255", "a loopback address"],
  ["169.254.0.0", "169.254.255.255", "a link-local address"],
  ["172.16.0.0", "172.31.255.255", undefined],
  ["192.0.0.0", "192.0.0.255", "an address of network protocols"],
  ["192.0.2.0", "192.0.2.255", undefined],
  ["192.31.196.0", "192.31.196.255", undefined],
  ["192.52.193.0", "192.52.193.255", undefined],
  ["192.88.99.0", "192.88.99.255", undefined],
  ["192.168.0.0", "192.168.255.255", undefined],
  ["192.175.48.0", "192.175.48.255", undefined],
  ["198.18.0.0", "198.19.255.255", undefined],
  ["198.51.100.0", "198.51.100.255", undefined],
  ["203.0.113.0", "203.0.113.255", undefined],
  ["240.0.0.0", "255.255.255.254", undefined],
  ["255.255.255.255", "255.255.255.255", "the broadcast address"],
  ["::1", "::1", "a loopback address"],
  ["::", "::", "an unspecified address"],
  ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "an address of a translation or tunnel"],
  ["100::", "100::ffff:ffff:ffff:ffff", undefined],
  ["100:0:0:1::", "100::1:ffff:ffff:ffff:ffff", undefined],
  ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "an address of a translation or tunnel"],
  ["2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "an address of network protocols"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", undefined],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a link-local address"],
  ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a multicast address"],
])("from %s to %s: %s, also as IPv6", (first, last, kind) => {
  for (const address of [first, last]) {
    expect(refusedAddress(address, "api.example", deployed)).toBe(kind);
    if (address.includes(":")) continue;
    const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
    const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    const within = [`::ffff:${groups}`, `::ffff:0:${groups}`, `64:ff9b::${groups}`, `2002:${groups}::1`];
    for (const whole of within) expect([whole, refusedAddress(whole, "api.example", deployed)]).toEqual([whole, kind]);
  }
});

test("this machine's commands connect to it, and still to no metadata address", () => {
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    expect(refusedAddress(address, "localhost", onThisMachine)).toBeUndefined();
  expect(refusedAddress("169.254.169.254", "localhost", onThisMachine)).toBe("a link-local address");
  expect(refusedAddress("0.0.0.0", "localhost", onThisMachine)).toBe("an unspecified address");
});

test.each([
  ["tunnel.example", "tunnel.example"],
  ["tunnel.example", "TUNNEL.example."],
  ["::1", "[::1]"],
])("a deployment that allows %s connects to %s", (allowed, host) => {
  expect(refusedAddress("::1", host, allowing(allowed))).toBeUndefined();
  expect(refusedAddress("::1", `other-${host}`, allowing(allowed))).toBe("a loopback address");
});

describe("an endpoint", () => {
  const read = (text: string, rules = deployed) => readEndpoint(text, { name: "spec.endpoint" }, rules).href;

  test.each([
    ["https://127.0.0.1:6443", "a loopback address (127.0.0.1)"],
    ["https://127.1", "a loopback address (127.0.0.1)"],
    ["https://0x7f000001", "a loopback address (127.0.0.1)"],
    ["https://2130706433", "a loopback address (127.0.0.1)"],
    ["https://0251.0376.0251.0376", "a link-local address (169.254.169.254)"],
    ["https://[::ffff:169.254.169.254]", "a link-local address (::ffff:a9fe:a9fe)"],
    ["https://[fe80::1]", "a link-local address (fe80::1)"],
    ["https://[fd00:ec2::254]:443/k8s", "a metadata address (fd00:ec2::254)"],
    ["https://１２７.0.0.1", "a loopback address (127.0.0.1)"],
  ])("%s is refused where it is written", (text, what) => {
    expect(() => read(text)).toThrow(
      `spec.endpoint: ebb does not connect to ${what}; the deployment's allowedHosts allows a host by name`,
    );
  });

  test("that is private is one of most clusters", () => {
    expect(read("https://10.0.0.1:6443")).toBe("https://10.0.0.1:6443/");
  });

  test("in the clear is refused in a deployed function, even on a host that the deployment allows", () => {
    const message = "expected https, got http://127.0.0.1:8080: a deployed function uses no plain http";
    expect(() => read("http://127.0.0.1:8080")).toThrow(message);
    expect(() => read("http://127.0.0.1:8080", allowing("127.0.0.1"))).toThrow(message);
  });

  test.each([
    "https://me:hunter2@",
    "https://me:hunter2@a b",
    "ftp://me:hunter2@host",
    "//me:hunter2@host",
    "me:hunter2@",
  ])("%s is not repeated with its password", (text) => {
    expect(() => read(text)).toThrow(/^spec\.endpoint: expected (?!.*hunter2)/);
  });

  test.each(["http://api.example", "http://10.0.0.1:8080", "http://127.0.0.1.evil.example"])(
    "in the clear is refused beyond this machine: %s",
    (text) => {
      const message = `expected https, got ${text}: plain http is allowed only to this machine`;
      for (const rules of [onThisMachine, deployed, allowing(new URL(text).hostname)])
        expect(() => read(text, rules)).toThrow(message);
    },
  );

  test("from a secret is not repeated at all", () => {
    const field = { name: "the kubeconfig's server", secret: true };
    for (const text of ["hunter2", "https://hunter2 x", "ftp://hunter2", "https://host?hunter2"])
      expect(() => readEndpoint(text, field, deployed)).toThrow(/^the kubeconfig's server: expected (?!.*hunter2)/);
  });
});

describe("a connection", () => {
  let certificates: Awaited<ReturnType<typeof makeCertificates>>;
  let server: TestServer;
  const opened: { close(): void }[] = [];

  beforeAll(async () => {
    certificates = await makeCertificates();
  });
  beforeEach(async () => {
    server = await startServer((_request, response) => json(response, 404, {}), certificates.server);
  });
  afterEach(async () => {
    opened.splice(0).forEach((clusters) => clusters.close());
    await server.stop();
  });

  const at = (host: string) => `https://${host}:${new URL(server.url).port}`;
  const read = async (endpoint: string, addresses: AddressRules) => {
    const clusters = clustersWith({ addresses });
    opened.push(clusters);
    const spec = { certificateAuthorityData: base64(certificates.ca), tlsServerName: "api.internal" };
    return (await clusters.connect(entry(endpoint, spec), soon())).getScale(web, soon());
  };

  test.each([
    ["a host that is this machine", [["127.0.0.1"]], "a loopback address (api.example is 127.0.0.1)"],
    [
      "a host with such an address beside another",
      [["10.0.0.1", "127.0.0.1"]],
      "a loopback address (api.example is 127.0.0.1)",
    ],
    [
      "a host that is the metadata service",
      [["169.254.169.254"]],
      "a link-local address (api.example is 169.254.169.254)",
    ],
  ])("to %s is refused before anything is sent", async (_name, answers, what) => {
    dnsAnswers(...answers);
    await expect(read(at("api.example"), deployed)).rejects.toMatchObject({
      kind: "unreachable",
      message: `${at("api.example")}: ebb does not connect to ${what}; the deployment's allowedHosts allows a host by name (get /apis)`,
    });
    expect(server.connections).toBe(0);
  });

  test("goes to the address that was checked, whatever the DNS says next", async () => {
    // The first answer passes, and nobody listens there (TEST-NET-1). A second lookup would lead to this machine.
    dnsAnswers(["192.0.2.1"], ["127.0.0.1"]);
    const clusters = clustersWith({ addresses: deployed, transport: { timeoutMs: 600, connectTimeoutMs: 200 } });
    opened.push(clusters);
    const cluster = await clusters.connect(entry(at("api.example")), soon());
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({
      kind: expect.stringMatching(/timeout|unreachable/) as string,
    });
    expect(jest.mocked(dns.lookup).mock.calls.length).toBe(1);
    expect(server.connections).toBe(0);
  });

  test("is checked again for each new connection", async () => {
    dnsAnswers(["127.0.0.1"]);
    const clusters = clustersWith({ addresses: allowing("other.example") });
    opened.push(clusters);
    const cluster = await clusters.connect(entry(at("api.example")), soon());
    for (const _attempt of [1, 2]) {
      await expect(cluster.listPods("shop", "", soon())).rejects.toMatchObject({ kind: "unreachable" });
    }
    expect(server.connections).toBe(0);
  });

  test("to a host that the deployment allows is made", async () => {
    dnsAnswers(["127.0.0.1"]);
    await expect(read(at("localhost"), allowing("localhost"))).rejects.toMatchObject({ kind: "notFound" });
    expect(server.received.length).toBeGreaterThan(0);
  });

  test("that arrives elsewhere than it was asked to is cut before a byte is sent", async () => {
    // The lookup is bypassed here, as a proxy or a hook would: only the socket knows where it is.
    const { openConnection } = await import("../../lib/net/connection");
    const url = new URL(at("localhost"));
    const limits = { connectMs: 60_000, idleMs: 60_000, maxBytes: 1_000 };
    const connection = openConnection(
      { url: new URL(server.url), certificateAuthority: certificates.ca },
      { idleSockets: 1, limits, addresses: deployed, now: () => 0 },
    );
    const memory = openMemory(512 * 2 ** 20).share();
    const call = { method: "GET", path: "/apis", headers: {}, memory, until: soon() } as const;
    const outcome = await connection.exchange(call, { headers: {} }, soon());
    expect(outcome).toMatchObject({
      failure: "unreachable",
      sent: false,
      detail:
        "ebb does not connect to a loopback address (127.0.0.1); the deployment's allowedHosts allows a host by name",
    });
    expect(url.hostname).toBe("localhost");
    expect(server.received).toEqual([]);
  });
});

test("a lookup answers as Node's does, for one address and for all", async () => {
  dnsAnswers(["10.0.0.1", "10.0.0.2"]);
  const ask = (all: boolean) =>
    new Promise((resolve, reject) =>
      checkedLookup(deployed)("api.example", { all }, (error, address, family) =>
        error === null ? resolve([address, family]) : reject(error),
      ),
    );
  expect(await ask(false)).toEqual(["10.0.0.1", 4]);
  expect(await ask(true)).toEqual([
    [
      { address: "10.0.0.1", family: 4 },
      { address: "10.0.0.2", family: 4 },
    ],
    undefined,
  ]);
});

describe("a name that does not resolve", () => {
  type Answered = (error: Error | null, addresses: LookupAddress[]) => void;

  test("takes one lookup, however many connections wait for it", async () => {
    const asked: [string, Answered][] = [];
    const fake = (host: string, _options: unknown, callback: Answered) => void asked.push([host, callback]);
    jest.spyOn(dns, "lookup").mockImplementation(fake as never);
    const resolve = (host: string, rules = deployed, options = {}) =>
      new Promise((found) => checkedLookup(rules)(host, options, (error, address) => found(error?.message ?? address)));
    const waiting = Array.from({ length: 50 }, () => resolve("hangs.example"));
    const others = [
      resolve("hangs.example", allowing("hangs.example")),
      resolve("hangs.example", deployed, { all: true }),
    ];
    const own = [resolve("other.example"), resolve("hangs.example", deployed, { family: 6 })];
    expect(asked.map(([host]) => host)).toEqual(["hangs.example", "other.example", "hangs.example"]);
    for (const [, answered] of asked) answered(null, [{ address: "127.0.0.1", family: 4 }]);
    // Each connection has its own rules, also if another one asked first.
    for (const found of await Promise.all(waiting)) expect(found).toContain("does not connect to a loopback address");
    expect(await others[0]).toBe("127.0.0.1");
    await Promise.all([...others, ...own]);
    const again = resolve("hangs.example");
    asked.at(-1)?.[1](new Error("no such host"), []);
    expect(await again).toBe("no such host");
    expect(asked).toHaveLength(4);
  });
});
