import { descriptions } from "../../lib/sources/descriptions";
import { fromMetricsApi } from "../../lib/sources/http/describe";
import { fillIn } from "../../lib/sources/network/template";
import type { DescribedKind } from "../../lib/sources/description";
import { type FromKeda, type KedaTrigger, numeric, onlySet, timeoutOf } from "../../lib/sources/keda";

const { kafka, rabbitmq, redis, cloudwatch, prometheus, postgresql, http } = descriptions;

test.each<[string | undefined, number | string | undefined]>([
  ["0", 0],
  ["123456789012345", 123_456_789_012_345],
  ["1234567890123456", "1234567890123456"],
  ["x5", "x5"],
  ["5x", "5x"],
  ["-5", "-5"],
  ["", ""],
  [undefined, undefined],
])("a whole number in text is a number: %j", (text, expected) => {
  expect(numeric(text)).toBe(expected);
});

test("what is not set is left out", () => {
  expect(onlySet({ a: undefined, b: null, c: "", d: 0 })).toStrictEqual({ b: null, c: "", d: 0 });
});

test.each<[string | undefined, number | undefined, string]>([
  [undefined, undefined, ""],
  ["3000", 3, ""],
  ["999999999", 7, "was 999999999: timeoutSeconds is 7, of whole seconds from 1 to 7"],
  ["5s", 5, ""],
  ["1.25s", 2, "was 1.25s: timeoutSeconds is 2, of whole seconds from 1 to 7"],
  ["0.001h", 4, "was 0.001h: timeoutSeconds is 4, of whole seconds from 1 to 7"],
  ["1s1000ms", 2, ""],
  ["x5", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got x5"],
  ["5x", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 5x"],
  ["5s x", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 5s x"],
  ["1234567890", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 1234567890"],
  ["", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got "],
])("a timeout of %j is %j seconds", (text, seconds, expected) => {
  const notes: string[] = [];
  const trigger = { text: () => text, note: (name: string, note: string) => void notes.push(`${name} ${note}`) };
  expect(timeoutOf(trigger as unknown as KedaTrigger)).toBe(seconds);
  expect(notes).toEqual(expected === "" ? [] : [`timeout ${expected}`]);
});

/** A trigger that holds these settings, and the notes on it. Its members of a secret are noted as such. */
function triggerOf(settings: Readonly<Record<string, string>>) {
  const notes: string[] = [];
  const note = (name: string, text: string) => void notes.push(`${name} ${text}`);
  const trigger: KedaTrigger = {
    namespace: "shop",
    text: (name) => settings[name],
    given: (name) => settings[name],
    required: (name) => (settings[name] === undefined ? (note(name, "is missing"), undefined) : settings[name]),
    flag: (name, fallback) => (settings[name] === undefined ? fallback : settings[name] === "true"),
    activation: () => undefined,
    note,
    unneeded: (name) => settings[name] !== undefined && (note(name, "makes no difference"), true),
    lost: (name, text) => settings[name] !== undefined && (note(name, text), true),
    secret: (name, member) => settings[name] !== undefined && (note(name, `is the secret's ${member}`), true),
  };
  return { notes, trigger };
}

test.each<[string, DescribedKind, [setting: string, parameter: string], string]>([
  ["prometheus", prometheus, ["query", "query"], 'label_replace(up, "a", "${1}", "b", "(.*)")'],
  ["postgresql", postgresql, ["query", "query"], "SELECT '${1}', '$1'"],
  ["redis", redis, ["listName", "key"], "jobs:${x}"],
  ["redis-streams", redis, ["stream", "stream"], "jobs:${x}"],
  ["metrics-api", http, ["url", "url"], "https://a.example/${x}"],
])("what reads as a placeholder is a text in %s: KEDA has none", (type, kind, [setting, parameter], text) => {
  const { trigger, notes } = triggerOf({ [setting]: text, address: "r:1", enableTLS: "true" });
  const found = String(kind.keda[type]!(trigger).parameters[parameter]);
  expect(found).toBe(text.replaceAll("${", () => "$${"));
  expect(fillIn(found, { parameter, values: {}, encode: (value) => value })).toBe(text);
  expect(notes.filter((note) => note.startsWith(setting))).toEqual([]);
});

test.each<[string, object, readonly string[]]>([
  ["components.worker.0", { parameters: { path: '$["components"]["worker"][0,"0"]' } }, []],
  [
    'tasks.#(name=="a").count',
    { parameters: { path: '$["tasks"][?@["name"]=="a"]["count"]' } },
    ["valueLocation finds every match, which ebb adds up: KEDA takes the first"],
  ],
  [
    "tasks.#",
    { kind: "metrics-api", parameters: { path: "tasks.#" } },
    ["valueLocation has no equal: ebb's JSONPath has no count of a list's elements"],
  ],
])("metrics-api finds %s", (valueLocation, expected, notesOfIt) => {
  const { notes, trigger } = triggerOf({ url: "https://a.example", valueLocation });
  expect(fromMetricsApi(trigger)).toMatchObject(expected);
  expect(notes).toEqual(notesOfIt);
});

test.each<[Readonly<Record<string, string>>, object, readonly string[]]>([
  [{ format: "prometheus" }, { parameters: { url: "u", metric: "m" } }, []],
  [{ format: "xml" }, { kind: "metrics-api" }, ["format has no equal for xml: ebb reads json and prometheus"]],
  [
    { aggregateFromKubeServiceEndpoints: "true" },
    { kind: "metrics-api" },
    [
      "aggregateFromKubeServiceEndpoints has no equal: ebb would read one pod of the service. Read a Prometheus that scrapes all of them",
    ],
  ],
  [{ method: "query" }, {}, ["method has no equal for query: ebb sends a credential as one of the secret's headers"]],
  [{ method: "header" }, {}, ["method is header: ebb sends it as one of the secret's headers"]],
  [{ targetValue: "7" }, { target: "7" }, []],
])("metrics-api with %j", (more, expected, notesOfIt) => {
  const { notes, trigger } = triggerOf({ url: "u", valueLocation: "m", ...more });
  const read = fromMetricsApi(trigger);
  expect(read).toMatchObject(expected);
  if (!("kind" in expected)) expect(read).not.toHaveProperty("kind");
  expect(notes).toEqual(notesOfIt);
});

test.each<[Readonly<Record<string, string>>, readonly string[]]>([
  [{}, []],
  [{ sasl: "plaintext" }, ["sasl becomes the mechanism PLAIN of the secret"]],
  [{ sasl: "none" }, ["sasl makes no difference"]],
  [{ sasl: "gssapi" }, ["sasl has no equal for gssapi: ebb has no Kerberos"]],
  [{ sasl: "ldap" }, ["sasl is not carried over: expected a mechanism, got ldap"]],
  [{ sasl: "constructor" }, ["sasl is not carried over: expected a mechanism, got constructor"]],
  [
    { sasl: "oauthbearer" },
    ["sasl has no equal for oauthbearer: ebb fetches no token. The secret may hold one as token"],
  ],
  [
    { saslTokenProvider: "bearer" },
    ["saslTokenProvider is not carried over: ebb fetches no token. The secret may hold one as token"],
  ],
])("kafka with %j", (settings, expected) => {
  const { notes, trigger } = triggerOf({ bootstrapServers: "k:1", consumerGroup: "g", tls: "enable", ...settings });
  const { parameters } = kafka.keda["kafka"]!(trigger);
  expect(parameters).toEqual({ address: "k:1", group: "g", lagThreshold: 10, uncommittedLag: 1 });
  expect(notes).toEqual(expected);
});

test.each<[Readonly<Record<string, string>>, number | undefined]>([
  [{ offsetResetPolicy: "latest" }, 1],
  [{ offsetResetPolicy: "latest", scaleToZeroOnInvalidOffset: "true" }, 0],
  [{ offsetResetPolicy: "earliest" }, undefined],
  [{ offsetResetPolicy: "earliest", scaleToZeroOnInvalidOffset: "true" }, 0],
])("a partition of kafka without a committed offset, with %j, counts %j, as in KEDA", (settings, expected) => {
  for (const type of ["kafka", "apache-kafka"]) {
    const { trigger } = triggerOf({ bootstrapServers: "k:1", consumerGroup: "g", sasl: "none", ...settings });
    expect(kafka.keda[type]!(trigger).parameters["uncommittedLag"]).toBe(expected);
  }
});

test.each<[Readonly<Record<string, string>>, object, readonly string[]]>([
  [{ mode: "constructor" }, { kind: "rabbitmq-constructor", parameters: { url: "http://mq" } }, ["mode has no equal"]],
  [
    { host: "amqps://mq.example.com/shop" },
    { parameters: { url: "https://mq.example.com:15671", vhost: "shop", measure: "ready" } },
    ["host becomes https://mq.example.com:15671"],
  ],
  [
    { host: "amqp://mq.example.com:5672" },
    { parameters: { url: "http://mq.example.com:15672", measure: "ready" } },
    ["host becomes http://mq.example.com:15672"],
  ],
  [{ host: "https://mq/a/%zz" }, { parameters: { url: "https://mq/a", vhost: "%zz" } }, []],
  [{ host: "https://mq/a%2Fb", protocol: "http" }, { parameters: { url: "https://mq", vhost: "a/b" } }, []],
  [{ host: "mq" }, { parameters: { url: "mq", measure: undefined } }, ["protocol is auto, and the host is elsewhere"]],
])("rabbitmq with %j", (settings, expected, notesOfIt) => {
  const { notes, trigger } = triggerOf({ host: "http://mq", queueName: "orders", ...settings });
  const read = rabbitmq.keda["rabbitmq"]!(trigger);
  const [own, others] = [expected as Partial<FromKeda>, { queue: "orders", measure: "messages" }];
  expect(read.kind).toBe(own.kind);
  const parameters = { ...others, ...own.parameters };
  expect(read.parameters).toEqual(own.kind === undefined ? parameters : { url: "http://mq", queue: "orders" });
  expect(notes).toEqual(notesOfIt.map((note) => expect.stringContaining(note) as string));
});

test.each<[Readonly<Record<string, string>>, object, readonly string[]]>([
  [{ lagCount: "5" }, { parameters: { absent: 0 } }, []],
  [{ pendingEntriesCount: "5" }, { parameters: { absent: 0 } }, []],
  [{ streamLength: "7" }, { target: "7", parameters: { absent: 0 } }, []],
  [{ consumerGroup: "g", lagCount: "7" }, { target: "7", parameters: { group: "g", count: "lag", absent: 0 } }, []],
  [{ consumerGroup: "g", streamLength: "7" }, { parameters: { group: "g", count: "pending" } }, []],
  [{ address: "", hosts: "a, b", ports: "1" }, { parameters: { address: "a:1,b:1", absent: 0 } }, []],
  [{ address: "", host: "a" }, { parameters: { address: "a:6379", absent: 0 } }, []],
  [{ address: "", hosts: "a,b", ports: "1, 2" }, { parameters: { address: "a:1,b:2", absent: 0 } }, []],
])("redis-streams with %j", (settings, expected, notesOfIt) => {
  const given = { address: "r:1", stream: "s", enableTLS: "true", ...settings };
  const { notes, trigger } = triggerOf(Object.fromEntries(Object.entries(given).filter(([, text]) => text !== "")));
  const own = expected as Partial<FromKeda>;
  expect(redis.keda["redis-streams"]!(trigger)).toEqual({
    target: own.target ?? "5",
    parameters: { address: "r:1", stream: "s", ...own.parameters },
  });
  expect(notes).toEqual(notesOfIt.map((note) => expect.stringContaining(note) as string));
});

test.each<[Readonly<Record<string, string>>, object]>([
  [{}, {}],
  [
    { dimensionName: "Queue;Stage", dimensionValue: "orders; prod" },
    { dimensions: { Queue: "orders", Stage: "prod" } },
  ],
  [{ dimensionName: "Queue; Stage;", dimensionValue: "orders" }, { dimensions: { Queue: "orders", Stage: "" } }],
  [
    { metricStatPeriod: "60", metricCollectionTime: "150" },
    { period: 60, periods: 2 },
  ],
  [{ metricStatPeriod: "60", metricCollectionTime: "30" }, { period: 60 }],
  [{ ignoreNullValues: "false" }, { absent: "error" }],
  [{ minMetricValue: "2.5" }, { absent: 2.5 }],
])("aws-cloudwatch with %j", (settings, expected) => {
  const { notes, trigger } = triggerOf({ namespace: "App", metricName: "Backlog", ...settings });
  expect(cloudwatch.keda["aws-cloudwatch"]!(trigger)).toEqual({
    target: "",
    parameters: { namespace: "App", metricName: "Backlog", period: 300, periods: 1, absent: 0, ...expected },
  });
  expect(notes).toEqual([]);
});
