import type { ApiClient, ApiRequest } from "../../../../lib/cluster/api/api-client";
import { servicePods } from "../../../../lib/cluster/api/services/service-pods";
import { noLimit } from "../../../time/no-limit";

const service = { namespace: "shop", service: "kafka" };
const port = (number: unknown, name: unknown = "tcp", more: object = {}) => ({ name, port: number, ...more });
const endpoint = (name: string, ip: string, more: object = {}) => ({
  ...{ addresses: [ip], conditions: { ready: true }, hostname: name },
  targetRef: { kind: "Pod", name, namespace: "shop" },
  ...more,
});
/** In no order, and the second does not say whether it is ready. */
const two = [endpoint("kafka-1", "10.0.0.2"), endpoint("kafka-0", "10.0.0.1", { conditions: {} })];

function setUp(slices: readonly unknown[] = [{ ports: [port(9092)], endpoints: two }], ports: unknown = [port(80)]) {
  const clock = { now: 0 };
  const asked: ApiRequest[] = [];
  const api: ApiClient = (request) => {
    asked.push(request);
    const isService = request.subject.resource === "services";
    return Promise.resolve(
      isService ? { kind: "Service", spec: { ports } } : { kind: "EndpointSliceList", items: slices },
    );
  };
  const pods = servicePods(api, () => clock.now);
  const find = (request: object = {}) => pods.find({ ...service, port: "tcp", ...request }, noLimit());
  return { clock, asked, pods, find };
}

test("connections spread over the ready pods, which are looked for again after 5 s or a failure", async () => {
  const { clock, asked, pods, find } = setUp();
  const names = async () => [(await find()).pod, (await find()).pod, (await find()).pod];
  expect(await names()).toEqual(["kafka-0", "kafka-1", "kafka-0"]);
  clock.now = 4_999;
  expect((await find()).pod).toBe("kafka-1");
  expect(asked).toHaveLength(1);
  clock.now = 5_000;
  await find();
  expect(asked).toHaveLength(2);
  pods.forget({ ...service, service: "other" });
  await find();
  expect(asked).toHaveLength(2);
  pods.forget(service);
  await find();
  expect(asked).toHaveLength(3);
  const path = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices";
  expect(asked[0]).toMatchObject({
    ...{ method: "GET", kinds: ["EndpointSliceList"], failureKey: "endpointslices shop/kafka" },
    query: { labelSelector: "kubernetes.io/service-name=kafka", limit: "100" },
    subject: { verb: "list", group: "discovery.k8s.io", resource: "endpointslices", namespace: "shop", path },
  });
});

test("a number is that of the service's own port, whose name is in the slices", async () => {
  const { asked, find } = setUp(undefined, [port(80, "web"), port(9000, "tcp")]);
  expect(await find({ port: 9_000 })).toEqual({ pod: "kafka-0", port: 9_092 });
  const path = "/api/v1/namespaces/shop/services/kafka";
  expect(asked[1]).toEqual({
    ...{ method: "GET", kinds: ["Service"], failureKey: `service ${path}` },
    subject: { verb: "get", group: "", resource: "services", namespace: "shop", name: "kafka", path },
  });
  for (const unknown of [80, 9_092, "web", "9000x", "x9000"])
    await expect(find({ port: unknown })).rejects.toMatchObject({
      kind: "badEntry",
      message: `service kafka in namespace shop has no TCP port ${JSON.stringify(unknown)}`,
    });
});

test.each(["http2", "2http"])("a port's name may have digits: %s", async (name) => {
  const { find } = setUp([{ ports: [port(9_092, name)], endpoints: two }]);
  expect(await find({ port: name })).toEqual({ pod: "kafka-0", port: 9_092 });
});

test("of a service with more than 1,000 pods, 1,000 are connected to, and 10 addresses of each are known", async () => {
  const endpoints = Array.from({ length: 1_005 }, (_, index) => endpoint(`kafka-${index}`, "10.0.0.1"));
  const addresses = Array.from({ length: 11 }, (_, index) => `10.1.0.${index}`);
  const { find } = setUp([{ ports: [port(9092)], endpoints: [endpoint("kafka-x", "", { addresses }), ...endpoints] }]);
  const found = new Set<string>();
  for (let time = 0; time < 1_006; time += 1) found.add((await find()).pod);
  expect(found.size).toBe(1_000);
  expect((await find({ member: { host: "10.1.0.9", port: 1 } })).pod).toBe("kafka-x");
  await expect(find({ member: { host: "10.1.0.10", port: 1 } })).rejects.toMatchObject({ kind: "badAnswer" });
});

test.each<[string, object]>([
  ["0", port(0)],
  ["65536", port(65_536)],
  ["a fraction", port(1.5)],
  ["a text", port("9092")],
  ["of UDP", port(9_092, "tcp", { protocol: "UDP" })],
])("a port that is %s is none", async (_what, given) => {
  await expect(setUp([{ ports: [given], endpoints: two }]).find()).rejects.toThrow('has no TCP port "tcp"');
});

test.each<[string, object, string, number]>([
  ["the first", port(1), "tcp", 1],
  ["the last", port(65_535), "tcp", 65_535],
  ["one of TCP", port(9_092, "tcp", { protocol: "TCP" }), "tcp", 9_092],
  ["one whose protocol is null", port(9_092, "tcp", { protocol: null }), "tcp", 9_092],
  ["one without a name", port(9_092, 5), "", 9_092],
])("%s is a port", async (_what, given, named, number) => {
  expect((await setUp([{ ports: [given], endpoints: two }]).find({ port: named })).port).toBe(number);
});

test.each<[string, unknown]>([
  ["not ready", endpoint("kafka-0", "10.0.0.1", { conditions: { ready: false } })],
  [
    "of another namespace",
    endpoint("kafka-0", "10.0.0.1", { targetRef: { kind: "Pod", name: "kafka-0", namespace: "x" } }),
  ],
  ["no pod", endpoint("kafka-0", "10.0.0.1", { targetRef: { kind: "Node", name: "kafka-0" } })],
  ["without a name", endpoint("", "10.0.0.1")],
  ["no map", "kafka-0"],
])("an endpoint that is %s is none to connect to", async (_what, given) => {
  await expect(setUp([{ ports: [port(9_092)], endpoints: [given] }]).find()).rejects.toMatchObject({
    ...{ kind: "unreachable", message: "service kafka in namespace shop has no ready pod" },
  });
});

describe("a member that the server names", () => {
  const at = (host: string, slices?: readonly unknown[]) => setUp(slices).find({ member: { host, port: 9_999 } });

  test.each([
    ["10.0.0.2", "kafka-1"],
    ["kafka-1", "kafka-1"],
    ["kafka-1.brokers", "kafka-1"],
    ["kafka-1.brokers.shop.svc.cluster.local", "kafka-1"],
  ])("%s is pod %s, at its own port", async (host, pod) => {
    expect(await at(host)).toEqual({ pod, port: 9_999 });
  });

  test.each([
    "10.0.0.3",
    "kafka-2",
    "kafka-1.brokers.other.svc",
    "kafka-1.brokers.shop.com",
    "kafka.shop.com",
    "kafka.other",
  ])("%s is no pod of the service", async (host) => {
    await expect(at(host)).rejects.toMatchObject({
      kind: "badAnswer",
      message: `a member says that it is at "${host}:9999", which is no ready pod of service kafka in namespace shop`,
    });
  });

  test.each(["kafka", "kafka.shop", "kafka.shop.svc", "kafka.shop.svc.cluster.local"])(
    "%s is the service",
    async (host) => {
      const { find } = setUp(undefined, [port(9_999, "tcp")]);
      expect(await find({ member: { host, port: 9_999 } })).toEqual({ pod: "kafka-0", port: 9_092 });
    },
  );

  test("in several slices has the addresses and ports of all", async () => {
    const other = [endpoint("kafka-1", "2001:db8::2")];
    const slices = [
      { ports: [port(9_092)], endpoints: two },
      { ports: [port(9_093, "tls")], endpoints: other },
    ];
    expect((await at("2001:db8::2", slices)).pod).toBe("kafka-1");
    expect((await at("10.0.0.2", slices)).pod).toBe("kafka-1");
    expect(await setUp(slices).find({ port: "tls" })).toEqual({ pod: "kafka-1", port: 9_093 });
  });
});
