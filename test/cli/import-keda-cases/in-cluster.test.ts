import { placeInCluster } from "../../../cli/set-up/import/keda/in-cluster";

const place = { path: "spec.triggers[0]", namespace: "shop", hasCredential: false };
const monitoring = { namespace: "monitoring", service: "prom", port: 9090 };
const publish = "publish it at an address that ebb's functions reach";

test.each<[string, string, object, object]>([
  ["a Service", "prometheus", { url: "http://prom.monitoring.svc:9090" }, { via: monitoring }],
  [
    "with the cluster's domain",
    "prometheus",
    { url: "http://prom.monitoring.svc.cluster.local:9090/" },
    { via: monitoring },
  ],
  [
    "of its own namespace",
    "prometheus",
    { url: "http://prom.shop:9090" },
    { via: { ...monitoring, namespace: "shop" } },
  ],
  ["with a path", "prometheus", { url: "http://prom.monitoring.svc:9090/p" }, { via: monitoring, url: "/p" }],
  [
    "without a port, over TLS",
    "http",
    { url: "https://prom.monitoring.svc/a?b=1", path: "$.x" },
    { via: { ...monitoring, port: 443, scheme: "https" }, url: "/a?b=1", path: "$.x" },
  ],
  [
    "a document at the root",
    "http",
    { url: "http://prom.monitoring.svc" },
    { via: { ...monitoring, port: 80 }, url: "/" },
  ],
  [
    "over TCP without TLS",
    "redis",
    { address: "redis.shop.svc:6379", tls: false, key: "q" },
    { via: { namespace: "shop", service: "redis", port: 6379 }, key: "q" },
  ],
  [
    "over TCP with TLS",
    "kafka",
    { address: "kafka.shop.svc:9092", topic: "t" },
    { via: { namespace: "shop", service: "kafka", port: 9092 }, tls: true, topic: "t" },
  ],
  ["an address that the world knows", "prometheus", { url: "https://prom.example" }, { url: "https://prom.example" }],
  ["an address of AWS", "prometheus", { url: "https://a.b.amazonaws.com/w" }, { url: "https://a.b.amazonaws.com/w" }],
  ["an IP address", "redis", { address: "10.0.0.7:6379" }, { address: "10.0.0.7:6379" }],
  ["an IPv6 address", "prometheus", { url: "http://[fd00::1]:9090" }, { url: "http://[fd00::1]:9090" }],
  ["this machine", "redis", { address: "localhost:6379" }, { address: "localhost:6379" }],
  ["no address", "schedule", { start: "0 8 * * *" }, { start: "0 8 * * *" }],
  ["a kind that nobody reads", "mysql", { url: "http://db.shop.svc" }, { url: "http://db.shop.svc" }],
])("%s", (_name, kind, parameters, expected) => {
  expect(placeInCluster({ ...place, kind, parameters: { ...parameters } })).toEqual({
    parameters: expected,
    notes: [],
  });
});

test.each<[string, object, boolean, string]>([
  [
    "prometheus",
    { url: "http://prom.monitoring.svc:9090" },
    true,
    `has the host prom.monitoring.svc, which only the cluster reaches, and via carries no credential: ${publish}`,
  ],
  [
    "rabbitmq",
    { url: "http://mq.shop.svc:15672" },
    false,
    `has the host mq.shop.svc, which only the cluster reaches: ${publish}`,
  ],
  ["rabbitmq", { url: "http://mq:15672" }, false, `has the host mq: if that is a Service of the cluster, ${publish}`],
  [
    "prometheus",
    { url: "http://prom:9090" },
    false,
    "has the host prom: if that is a Service of the cluster, name it in via (docs/sources/README.md)",
  ],
  [
    "http",
    { url: "http://stats.media:80" },
    false,
    "has the host stats.media: if that is a Service of the cluster, name it in via (docs/sources/README.md)",
  ],
  [
    "kafka",
    { address: "kafka-0.kafka.shop.svc.cluster.local:9092" },
    false,
    "has the host kafka-0.kafka.shop.svc.cluster.local: if that is a Service of the cluster, name it in via (docs/sources/README.md)",
  ],
  [
    "redis",
    { address: "a.shop.svc:1,b.shop.svc:1", topology: "cluster" },
    false,
    "has the host a.shop.svc, which only the cluster reaches: name one service in via (docs/sources/README.md)",
  ],
])("%s at %j, with a credential: %s", (kind, parameters, hasCredential, text) => {
  const given = { ...place, hasCredential, kind, parameters: { ...parameters } };
  expect(placeInCluster(given)).toMatchObject({ parameters, notes: [{ field: "spec.triggers[0]", text }] });
});
