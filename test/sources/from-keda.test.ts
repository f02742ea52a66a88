import { descriptions } from "../../lib/sources/descriptions";
import { fromMetricsApi } from "../../lib/sources/http/describe";
import { fillIn } from "../../lib/sources/network/template";
import type { DescribedKind } from "../../lib/sources/description";
import { type FromKeda, type Harm, type KedaTrigger, numeric, onlySet, timeoutOf } from "../../lib/sources/keda";

const { kafka, rabbitmq, redis, cloudwatch, prometheus, postgresql, schedule, http } = descriptions;

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
  ["999999999", 7, "size: was 999999999: timeoutSeconds is 7, of whole seconds from 1 to 7"],
  ["5s", 5, ""],
  ["1.25s", 2, "none: was 1.25s: timeoutSeconds is 2, of whole seconds from 1 to 7"],
  ["0.001h", 4, "none: was 0.001h: timeoutSeconds is 4, of whole seconds from 1 to 7"],
  ["1s1000ms", 2, ""],
  ["x5", undefined, "size: is not carried over: expected milliseconds or a duration such as 5s, got x5"],
  ["5x", undefined, "size: is not carried over: expected milliseconds or a duration such as 5s, got 5x"],
  ["5s x", undefined, "size: is not carried over: expected milliseconds or a duration such as 5s, got 5s x"],
  [
    "1234567890",
    undefined,
    "size: is not carried over: expected milliseconds or a duration such as 5s, got 1234567890",
  ],
  ["", undefined, "size: is not carried over: expected milliseconds or a duration such as 5s, got "],
])("a timeout of %j is %j seconds", (text, seconds, expected) => {
  const notes: string[] = [];
  const note = (name: string, said: string, harm: Harm) => void notes.push(`${harm}: ${name} ${said}`);
  const trigger = { text: () => text, note };
  expect(timeoutOf(trigger as unknown as KedaTrigger)).toBe(seconds);
  expect(notes).toEqual(expected === "" ? [] : [expected.replace(": ", ": timeout ")]);
});

test.each<[start: string, end: string, isNoted: boolean]>([
  ["0 8 * * 1-5", "0 18 * * 1-5", false],
  ["0 22 * * 1-5", "0 6 * * 2-6", false],
  ["0 0 1 12 *", "0 0 1 2 *", false],
  ["0 8 * * 1-5", "0 18 * * *", true],
  ["0 8 * * *", "0 18 * * 1-5", true],
  ["0 8,12 * * *", "0 18 * * *", true],
  ["0 8 * * 1-5", "0 8 * * 0", true],
  ["0 8 * * *", "0 8 * * 1", true],
  ["0 8 * * *", "not a cron", false],
])("a cron trigger from %s to %s has a note if they do not alternate: %s", (start, end, isNoted) => {
  const { notes, trigger } = triggerOf({ timezone: "UTC", start, end, desiredReplicas: "3" });
  schedule.keda["cron"]!(trigger);
  const text =
    "end and start do not alternate: KEDA is active while the next end comes before the next start, ebb from a start until the next end";
  expect(notes).toEqual(isNoted ? [`activity: ${text}`] : []);
});

/** A trigger that holds these settings, and the notes on it, after their harm. A secret's members are noted. */
function triggerOf(settings: Readonly<Record<string, string>>) {
  const notes: string[] = [];
  const activations: string[] = [];
  const note = (name: string, text: string, harm: Harm = "step") => void notes.push(`${harm}: ${name} ${text}`);
  const trigger: KedaTrigger = {
    namespace: "shop",
    text: (name) => settings[name],
    given: (name) => settings[name],
    isSet: (name) => settings[name] !== undefined,
    required: (name) => (settings[name] === undefined ? (note(name, "is missing"), undefined) : settings[name]),
    flag: (name, fallback) => (settings[name] === undefined ? fallback : settings[name] === "true"),
    activation: (name) => void activations.push(name),
    note,
    unneeded: (name) => settings[name] !== undefined && (note(name, "makes no difference", "none"), true),
    lost: (name, text, harm) => settings[name] !== undefined && (note(name, text, harm), true),
    secret: (name, member) => settings[name] !== undefined && (note(name, `is the secret's ${member}`), true),
  };
  return { notes, activations, trigger };
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
  expect(notes.filter((note) => note.includes(`: ${setting}`))).toEqual([]);
});

test.each<[string, object, readonly string[]]>([
  ["components.worker.0", { parameters: { path: '$["components"]["worker"][0,"0"]' } }, []],
  [
    'tasks.#(name=="a").count',
    { parameters: { path: '$["tasks"][?@["name"]=="a"]["count"]' } },
    ["size: valueLocation finds every match, which ebb adds up: KEDA takes the first"],
  ],
  [
    "tasks.#",
    { kind: "metrics-api", parameters: { path: "tasks.#" } },
    ["held: valueLocation has no equal: ebb's JSONPath has no count of a list's elements"],
  ],
])("metrics-api finds %s", (valueLocation, expected, notesOfIt) => {
  const { notes, trigger } = triggerOf({ url: "https://a.example", valueLocation });
  expect(fromMetricsApi(trigger)).toMatchObject(expected);
  expect(notes).toEqual(notesOfIt);
});

test.each<[Readonly<Record<string, string>>, object, readonly string[]]>([
  [{ format: "prometheus" }, { parameters: { url: "u", metric: "m" } }, []],
  [{ format: "xml" }, { kind: "metrics-api" }, ["held: format has no equal for xml: ebb reads json and prometheus"]],
  [
    { aggregateFromKubeServiceEndpoints: "true" },
    { kind: "metrics-api" },
    [
      "held: aggregateFromKubeServiceEndpoints has no equal: ebb would read one pod of the service. Read a Prometheus that scrapes all of them",
    ],
  ],
  [
    { method: "query" },
    {},
    ["credential: method has no equal for query: ebb sends a credential as one of the secret's headers"],
  ],
  [{ method: "header" }, {}, ["step: method is header: ebb sends it as one of the secret's headers"]],
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
  [{ sasl: "plaintext" }, ["step: sasl becomes the mechanism PLAIN of the secret"]],
  [{ sasl: "none" }, ["none: sasl makes no difference"]],
  [{ sasl: "gssapi" }, ["credential: sasl has no equal for gssapi: ebb has no Kerberos"]],
  [{ sasl: "ldap" }, ["credential: sasl is not carried over: expected a mechanism, got ldap"]],
  [{ sasl: "constructor" }, ["credential: sasl is not carried over: expected a mechanism, got constructor"]],
  [
    { sasl: "oauthbearer" },
    ["credential: sasl has no equal for oauthbearer: ebb fetches no token. The secret may hold one as token"],
  ],
  [
    { saslTokenProvider: "bearer" },
    ["credential: saslTokenProvider is not carried over: ebb fetches no token. The secret may hold one as token"],
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
  [
    { mode: "constructor" },
    { kind: "rabbitmq-constructor", parameters: { url: "http://mq" } },
    ["held: mode has no equal"],
  ],
  [
    { host: "amqps://mq.example.com/shop" },
    { parameters: { url: "https://mq.example.com:15671", vhost: "shop", measure: "ready" } },
    ["step: host becomes https://mq.example.com:15671"],
  ],
  [
    { host: "amqp://mq.example.com:5672" },
    { parameters: { url: "http://mq.example.com:15672", measure: "ready" } },
    ["step: host becomes http://mq.example.com:15672"],
  ],
  [
    { host: "amqp://mq.example.com/shop", excludeUnacknowledged: "true", protocol: "amqp", vhostName: "eu" },
    { parameters: { url: "http://mq.example.com:15672", vhost: "eu", measure: "ready" } },
    ["step: host becomes http://mq.example.com:15672"],
  ],
  [
    { host: "https://mq//a/b/", excludeUnacknowledged: "true" },
    { parameters: { url: "https://mq/a/b", measure: "ready" } },
    [],
  ],
  [{ host: "mq", protocol: "http" }, { parameters: { url: "mq", measure: "messages" } }, []],
  [{ host: "mq", vhostName: "v", protocol: "amqp" }, { parameters: { url: "mq", vhost: "v", measure: "ready" } }, []],
  [{ mode: "DeliverGetRate", protocol: "amqp" }, { parameters: { url: "http://mq", measure: "deliverRate" } }, []],
  [
    { mode: "MessageRate" },
    { parameters: { url: "http://mq", measure: "publishRate" } },
    ["activity: mode is MessageRate: KEDA also starts the first replica while messages wait"],
  ],
  [{ host: "https://mq/a/%zz" }, { parameters: { url: "https://mq/a", vhost: "%zz" } }, []],
  [{ host: "https://mq/a%2Fb", protocol: "http" }, { parameters: { url: "https://mq", vhost: "a/b" } }, []],
  [
    { host: "mq" },
    { parameters: { url: "mq", measure: undefined } },
    ["step: protocol is auto, and the host is elsewhere"],
  ],
])("rabbitmq with %j", (settings, expected, notesOfIt) => {
  const { notes, trigger } = triggerOf({ host: "http://mq", queueName: "orders", ...settings });
  const read = rabbitmq.keda["rabbitmq"]!(trigger);
  const [own, others] = [expected as Partial<FromKeda>, { queue: "orders", measure: "messages" }];
  expect(read.kind).toBe(own.kind);
  const parameters = { ...others, ...own.parameters };
  expect(read.parameters).toEqual(own.kind === undefined ? parameters : { url: "http://mq", queue: "orders" });
  expect(notes).toEqual(notesOfIt.map((note) => expect.stringContaining(note) as string));
});

test("rabbitmq's queues by a regular expression, which are 0 if there are none, and its targets", () => {
  const read = (settings: Readonly<Record<string, string>>) =>
    rabbitmq.keda["rabbitmq"]!(triggerOf({ host: "http://mq", ...settings }).trigger);
  const matching = { queues: "^a", operation: "max", measure: "messages", absent: 0 };
  const all = { queueName: "^a", useRegex: "true", operation: "max", value: "7", queueLength: "9" };
  expect(read(all)).toEqual({ parameters: { url: "http://mq", ...matching }, target: "7" });
  const one = read({ queueName: "a", operation: "max", queueLength: "9" });
  expect(one).toEqual({ parameters: { url: "http://mq", queue: "a", measure: "messages" }, target: "9" });
  expect(read({ queueName: "a" }).target).toBe("20");
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

const tls = ["unsafeSsl", "ca", "cert", "key", "keyPassword"];
const aws = ["identityOwner", "awsRoleArn", "awsAccessKeyID", "awsSecretAccessKey", "awsSessionToken"];
const ofTls = (whose: string) => [
  `step: unsafeSsl is not carried over: set certificateAuthorityData to ${whose} CA`,
  "step: ca is not carried over: write it into the entry as certificateAuthorityData, as base64",
  "step: cert is the secret's certificate",
  "step: key is the secret's key",
  "step: keyPassword is not carried over: the secret holds the key without a password",
];
const ownRole = "is not carried over: the functions' own role reads the metric";
const ofAws = [
  "none: identityOwner makes no difference",
  ...["awsRoleArn", "awsAccessKeyID", "awsSecretAccessKey", "awsSessionToken"].map(
    (name) => `step: ${name} ${ownRole}`,
  ),
];
const endpoint = "size: awsEndpoint is not carried over: ebb asks the region's own endpoint";
const secretsOf = (...names: readonly string[]) => names.map((name) => `step: ${name} is the secret's ${name}`);
const noKerberos = ["keytab", "realm", "kerberosConfig", "kerberosServiceName", "kerberosDisableFAST"];
const noTokens = ["oauthTokenEndpointUri", "scopes", "oauthExtensions"];
const ofMetrics = ["namespace", "metricName", "dimensionName", "dimensionValue", "metricStat", "metricUnit"];
const intoSecret = "is not carried over: write the credential into a secret, and name it in the entry";
const tlsIsOn = "step: tls is not carried over: tls is true in the entry, as if it were enable";

test.each<[string, DescribedKind, { activation: string; names: readonly string[]; expected: readonly string[] }]>([
  [
    "aws-sqs-queue",
    descriptions.sqs,
    { activation: "activationQueueLength", names: [...aws, "awsEndpoint"], expected: [...ofAws, endpoint] },
  ],
  [
    "aws-cloudwatch",
    cloudwatch,
    { activation: "activationTargetMetricValue", names: [...aws, "awsEndpoint"], expected: [...ofAws, endpoint] },
  ],
  [
    "aws-cloudwatch",
    cloudwatch,
    {
      activation: "activationTargetMetricValue",
      names: ["expression", ...ofMetrics],
      expected: ofMetrics.map((name) => `none: ${name} makes no difference`),
    },
  ],
  [
    "prometheus",
    prometheus,
    {
      activation: "activationThreshold",
      names: [
        ...["authModes", "bearerToken", "username", "password", "customAuthHeader", "customAuthValue", "customHeaders"],
        ...aws,
        ...tls,
      ],
      expected: [
        `step: authModes ${intoSecret}`,
        "step: bearerToken is the secret's token",
        ...secretsOf("username", "password"),
        "step: customAuthHeader is the secret's headers",
        "step: customAuthValue is the secret's headers",
        ...[...ofAws, ...ofTls("the server's")],
        "step: customHeaders is not carried over, because it may hold a secret: set headers, or write them into the secret",
      ],
    },
  ],
  [
    "metrics-api",
    http,
    {
      activation: "activationTargetValue",
      names: ["aggregationType", "authMode", "keyParamName", "apiKey", "token", "username", "password", ...tls],
      expected: [
        "size: aggregationType is not carried over: ebb reads one address",
        `step: authMode ${intoSecret}`,
        "step: keyParamName is not carried over: it is the name of the header in the secret",
        "step: apiKey is the secret's headers",
        ...secretsOf("token", "username", "password"),
        ...ofTls("the server's"),
      ],
    },
  ],
  [
    "rabbitmq",
    rabbitmq,
    {
      activation: "activationValue",
      names: ["pageSize", "username", "password", "tls", ...tls],
      expected: [
        "none: pageSize makes no difference",
        ...secretsOf("username", "password"),
        "none: tls makes no difference",
        ...ofTls("the server's"),
      ],
    },
  ],
  [
    "redis-sentinel",
    redis,
    {
      activation: "activationListLength",
      names: ["username", "password", "sentinelUsername", "sentinelPassword", "tls", ...tls],
      expected: [
        ...secretsOf("username", "password", "sentinelUsername", "sentinelPassword"),
        ...ofTls("the server's"),
        tlsIsOn,
      ],
    },
  ],
  [
    "redis-cluster-streams",
    redis,
    {
      activation: "activationLagCount",
      names: ["username", "password", "sentinelUsername", "tls"],
      expected: [...secretsOf("username", "password"), tlsIsOn],
    },
  ],
  [
    "kafka",
    kafka,
    {
      activation: "activationLagThreshold",
      names: [
        ...["version", "excludePersistentLag", "ensureEvenDistributionOfPartitions", "username", "password"],
        ...[...noKerberos, ...noTokens, "awsRegion", ...aws, ...tls],
      ],
      expected: [
        ...secretsOf("username", "password"),
        ...noKerberos.map((name) => `credential: ${name} is not carried over: ebb has no Kerberos`),
        ...noTokens.map((name) => `credential: ${name} is not carried over: ebb fetches no token`),
        "none: awsRegion makes no difference",
        ...[...ofAws, ...ofTls("the brokers'")],
        "none: version makes no difference",
        "size: excludePersistentLag is excludePersistentLagAfterSeconds: 60, where KEDA waits for one poll: set how long your consumers may take for a commit",
        "size: ensureEvenDistributionOfPartitions is not carried over: set maxReplicas to a divisor instead",
      ],
    },
  ],
  [
    "postgresql",
    postgresql,
    {
      activation: "activationTargetQueryValue",
      names: ["password", "connection", "userName", "sslmode"],
      expected: [
        "step: password is the secret's password",
        "step: connection is not carried over: write its parts into the entry (address, database) and a secret (username, password)",
        "step: userName is the secret's username",
        "step: sslmode was true: ebb always verifies the certificate and its name",
      ],
    },
  ],
  [
    "kubernetes-workload",
    descriptions.workload,
    {
      activation: "activationValue",
      names: ["groupByNode"],
      expected: ["held: groupByNode counts each node once: ebb counts pods, so the HPA keeps its size"],
    },
  ],
])("of %s, says what becomes of each setting that no entry holds", (type, kind, { activation, names, expected }) => {
  const { notes, activations, trigger } = triggerOf(Object.fromEntries(names.map((name) => [name, "true"])));
  kind.keda[type]!(trigger);
  expect(notes.filter((note) => names.includes(note.split(" ")[1] ?? ""))).toEqual(expected);
  expect(activations).toEqual([activation]);
});

test("of postgresql, a password takes the user into the secret; else each part is the entry's", () => {
  const given = { host: "db", dbName: "shop", userName: "ebb", query: "q", targetQueryValue: "5" };
  const { keda } = postgresql;
  const plain = triggerOf({ ...given, sslmode: "disable" });
  expect(keda["postgresql"]!(plain.trigger)).toEqual({
    parameters: { address: "db:5432", database: "shop", user: "ebb", tls: false, query: "q" },
    target: "5",
  });
  const secret = triggerOf({ ...given, password: "x", port: "6543", sslmode: "verify-full" });
  expect(keda["postgresql"]!(secret.trigger).parameters).toEqual({ address: "db:6543", database: "shop", query: "q" });
  expect([...plain.notes, ...secret.notes]).toEqual([
    "step: password is the secret's password",
    "step: userName is the secret's username",
  ]);
  const missing = triggerOf({});
  expect(keda["postgresql"]!(missing.trigger)).toEqual({ parameters: {}, target: "" });
  expect(missing.notes).toEqual(
    ["host", "dbName", "query", "targetQueryValue"].map((name) => `step: ${name} is missing`),
  );
});

test.each<[Readonly<Record<string, string>>, object, string]>([
  [{}, { absent: 0 }, ""],
  [{ cortexOrgID: "shop", threshold: "7" }, { headers: { "X-Scope-OrgID": "shop" }, absent: 0 }, "7"],
  [{ awsRegion: "eu-west-1", ignoreNullValues: "false" }, { sigv4Region: "eu-west-1", absent: "error" }, ""],
  [
    { queryParameters: "a = 1=2 ,b,c=3", namespace: "n" },
    { queryParameters: { a: "1=2", c: "3", namespace: "n" }, absent: 0 },
    "",
  ],
])("prometheus with %j", (settings, parameters, target) => {
  const { trigger } = triggerOf({ serverAddress: "https://p", query: "up", ...settings });
  const expected = { parameters: { url: "https://p", query: "up", ...parameters }, target };
  expect(prometheus.keda["prometheus"]!(trigger)).toEqual(expected);
});
