import { parse, stringify } from "yaml";
import { converters } from "../../../cli/set-up/import/keda/convert-trigger";
import { documentedTriggers, type Documented } from "../keda-settings/documented-fields";
import { tableForTests } from "../table";

const { run, file, register } = tableForTests();

const bad = ["${NAME}", "-1", "1e400", "é\u0001", "x".repeat(3000)];

const utilization = { metricType: "Utilization" };

type Settings = Readonly<Record<string, string>>;

interface BadTrigger {
  readonly type: string;
  readonly metadata: Settings;
  /** Taken out, or bad. */
  readonly changed: string;
}

/** By the name of the ScaledObject. */
function badTriggers(): ReadonlyMap<string, BadTrigger> {
  const all = documentedTriggers.flatMap(({ types, metadata, fields }) =>
    types
      .filter((type) => converters.has(type))
      .flatMap((type) => [
        ...Object.keys(metadata).map((name) => ({ type, metadata: without(metadata, name), changed: name })),
        ...Object.entries(fields).flatMap(([name, sample]) =>
          bad.map((value) => ({ type, metadata: { ...metadata, ...besideOf(sample), [name]: value }, changed: name })),
        ),
      ]),
  );
  return new Map(all.map((trigger, index) => [`so-${index}`, trigger]));
}

const without = (settings: Settings, name: string): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([other]) => other !== name));

function besideOf(sample: Documented["fields"][string]): Settings {
  return typeof sample === "object" && "beside" in sample ? sample.beside : {};
}

/** A list of values is short of one, and KEDA reads an address by either name. */
const besides: Settings = { dimensionName: "dimensionValue", addresses: "address", hosts: "ports", host: "port" };

test("a refusal names the trigger's setting, whichever it is and whatever is in it", async () => {
  const given = badTriggers();
  const objects = [...given].map(([name, { type, metadata }]) => ({
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name, namespace: "shop" },
    spec: {
      scaleTargetRef: { name },
      triggers: [
        { ...(["cpu", "memory"].includes(type) && metadata["type"] === undefined && utilization), type, metadata },
      ],
    },
  }));
  const { stderr } = await run(["import", "keda", await file(objects.map((one) => stringify(one)).join("---\n"))]);
  const refusals = [...stderr.matchAll(/^Warning: ScaledObject shop\/([\w-]+): (\S+(?:, \S+)*): expected /gm)];
  const wrong = refusals.filter(([, name = "", fields = ""]) => {
    const named = fields.split(", ").map((field) => field.replace("spec.triggers[0].metadata.", ""));
    const { changed = "" } = given.get(name) ?? {};
    return !named.some((one) => one === changed || one === besides[changed]);
  });
  expect(wrong.map(([line, name = ""]) => [line, JSON.stringify(given.get(name)).slice(0, 300)])).toEqual([]);
  expect(stderr.match(/^.*( is invalid: |spec\.parameters|spec\.metrics).*$/gm)).toBeNull();
  expect(refusals.length).toBeGreaterThan(400);
}, 60_000);

const redis = 'triggers: [{type: redis, metadata: {address: "r.example:6379", listName: jobs}}]';
const cpu = '{type: cpu, metricType: Utilization, metadata: {value: "50", containerName: "<C>"}}';
const config = (members: string) => `advanced: {horizontalPodAutoscalerConfig: {${members}}}\n${redis}`;
const policies = "behavior: {scaleUp: {policies: [{type: Pods, value: 0, periodSeconds: 60}]}}";
const sqs = '{type: aws-sqs-queue, name: jobs, metadata: {queueURL: "${Q}", awsRegion: eu-west-1}}';
const formula = "advanced: {scalingModifiers: {formula: jobs * 2, target: '1'}}";

test.each<[string, string]>([
  [`maxReplicaCount: 3000000000\n${redis}`, "spec.maxReplicaCount: "],
  [config(policies), "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.policies[0].value: "],
  [config("name: a_b"), "spec.advanced.horizontalPodAutoscalerConfig.name: "],
  [`triggers: [${cpu}]`, "spec.triggers[0].metadata.containerName: "],
  [
    `triggers: [{type: cron, metadata: {timezone: UTC, desiredReplicas: '2'}}, ${cpu}]`,
    "spec.triggers[0].metadata.start: ",
  ],
  [`${formula}\ntriggers: [${sqs}, ${cpu}]`, "spec.triggers[0].metadata.queueURL: "],
  [`${formula}\ntriggers: [${sqs.replace("${Q}", "q")}, ${cpu}]`, "spec.triggers[1].metadata.containerName: "],
  [`${redis}\nscaleTargetRef: {name: "a/x"}`, "spec.scaleTargetRef.name: "],
  [
    'triggers: [{type: postgresql, metadata: {host: db, port: abc, dbName: d, userName: u, sslmode: disable, query: SELECT $1, targetQueryValue: "1"}}]',
    'spec.triggers[0].metadata.port: expected host:port, or several with commas, got "db:abc"',
  ],
  [
    'triggers: [{type: redis, metadata: {host: "a b", port: "6379", listName: q}}]',
    'spec.triggers[0].metadata.host: expected host:port, or several with commas, got "a b"',
  ],
  [
    'triggers: [{type: prometheus, metadata: {serverAddress: "http://p.example", query: up, threshold: "1", awsRegion: eu-west-1}}]',
    'spec.triggers[0].metadata.awsRegion: expected a host such as aps-workspaces.eu-west-1.amazonaws.com for signed requests, got "p.example"',
  ],
  [redis.replace("type: redis", "type: redis, metricType: Utilization"), "spec.triggers[0].metricType: "],
  [`fallback: {failureThreshold: 3, replicas: 3000000000}\n${redis}`, "spec.fallback.replicas: "],
])("%j is refused in its own words, by import, validate and apply", async (spec, expected) => {
  const object = {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "web", namespace: "shop" },
    spec: { scaleTargetRef: { name: "web" }, ...(parse(spec) as object) },
  };
  const path = await file(stringify(object));
  await register("prod");
  for (const args of [
    ["import", "keda"],
    ["validate", "--import-keda"],
    ["apply", "--import-keda", "--cluster", "prod", "-f"],
  ]) {
    const { stderr, exitCode } = await run([...args, path]);
    const lines = stderr.split("\n").filter((line) => line.includes(expected));
    if (lines.length === 0) throw new Error(`${args.join(" ")}: expected ${expected}, got ${stderr}`);
    expect(stderr).not.toMatch(/ is invalid: |spec\.(parameters|metrics|behavior|maxReplicas)\b/);
    if (args[0] !== "validate") expect(exitCode).toBe(1);
  }
});
