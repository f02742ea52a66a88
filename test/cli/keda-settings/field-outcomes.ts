import { parse } from "yaml";
import { converters } from "../../../cli/set-up/import/keda/convert-trigger";
import { convertScaledObject } from "../../../cli/set-up/import/keda/convert-scaled-object";
import { isMap } from "../../../lib/k8s/map";
import {
  type Documented,
  documentedAuthentications,
  documentedSpec,
  documentedTriggers,
  type Sample,
} from "./documented-fields";

/** What `ebb import keda` makes of one documented setting. */
export interface Outcome {
  /** As KEDA spells it, with its value if there are several. */
  readonly field: string;
  /** The paths in the entries that it changes. */
  readonly becomes: readonly string[];
  /** What the import says because of it. */
  readonly says: readonly string[];
}

export interface Outcomes {
  readonly title: string;
  /** The kind of the metrics or the source that the trigger becomes. */
  readonly kind?: string;
  readonly rows: readonly Outcome[];
}

type Settings = Readonly<Record<string, unknown>>;

interface Given {
  readonly spec: Settings;
  readonly annotations?: unknown;
  readonly authentication?: object;
}

/** Each documented setting, converted with it and without it. */
export function fieldOutcomes(): readonly Outcomes[] {
  const triggers = documentedTriggers.filter(({ types }) => types.every((type) => converters.has(type)));
  const groups = [...new Set(triggers.map(({ types: [type = ""] }) => groupOf[type] ?? type))];
  return [
    { title: "ScaledObject", rows: documentedSpec.map(specOutcome) },
    ...groups.map((group) => {
      const ofGroup = triggers.filter(({ types: [type = ""] }) => (groupOf[type] ?? type) === group);
      const kind = ofGroup.map(kindOf).find((found) => found !== undefined);
      return {
        title: ofGroup.flatMap(({ types }) => types).join(", "),
        ...(kind && { kind }),
        rows: together(ofGroup),
      };
    }),
    { title: "TriggerAuthentication", rows: documentedAuthentications.map(authenticationOutcome) },
  ];
}

/** Triggers whose settings are in one table. */
const groupOf: Readonly<Record<string, string>> = {
  "apache-kafka": "kafka",
  "redis-cluster": "redis",
  "redis-sentinel": "redis",
  "redis-cluster-streams": "redis-streams",
  "redis-sentinel-streams": "redis-streams",
};

/** The kind of source that a trigger becomes; undefined for cpu and memory. */
function kindOf({ types: [type = ""], metadata }: Documented): string | undefined {
  const { paths } = converted({ spec: { scaleTargetRef: { name: "orders" }, triggers: [{ type, metadata }] } });
  const name = paths.get("HPA.spec.metrics[0].external.metric.name");
  return (paths.get("source.spec.kind") ?? name) as string | undefined;
}

/** The rows of several triggers. One that not every trigger with the setting has says whose it is. */
function together(triggers: readonly Documented[]): readonly Outcome[] {
  const all = triggers.flatMap((trigger) =>
    triggerOutcomes(trigger).map((row) => ({ row, key: JSON.stringify(row), types: trigger.types.join(", ") })),
  );
  const same = (key: string) => all.filter((one) => one.key === key);
  const first = all.filter(({ key }, at) => all.findIndex((one) => one.key === key) === at);
  return first.map(({ row, key }) => {
    const whose = same(key).map(({ types }) => types);
    if (whose.length === all.filter((one) => one.row.field === row.field).length && whose.length === triggers.length)
      return row;
    return { ...row, field: `${row.field} (${whose.join(", ")})` };
  });
}

function specOutcome({ field, patch, base = "" }: (typeof documentedSpec)[number]): Outcome {
  const whole = {
    scaleTargetRef: { name: "orders" },
    triggers: [{ type: "aws-sqs-queue", metadata: { queueURL: "orders", awsRegion: "eu-west-1" } }],
    ...(parse(base) as Settings | null),
  };
  const { annotations, ...more } = parse(patch) as Settings;
  return outcome(field, { spec: whole }, { spec: { ...whole, ...more }, annotations });
}

function triggerOutcomes({ types, metadata, fields, authenticated = [] }: Documented): readonly Outcome[] {
  const [type = ""] = types;
  const of = (given: Settings, authentication?: object): Given => ({
    spec: {
      scaleTargetRef: { name: "orders" },
      triggers: [{ type, metadata: given, ...(authentication && { authenticationRef: { name: "auth" } }) }],
    },
    ...(authentication && { authentication }),
  });
  const without = (name: string, given: Settings) =>
    Object.fromEntries(Object.entries(given).filter(([other]) => !namesOf(name).includes(other)));
  const ofMetadata = Object.entries(fields).flatMap(([name, sample]) =>
    valuesOf(sample).map(({ value, beside, isOneOfSeveral }) => {
      const isOther = name in metadata && metadata[name] !== value;
      const base = { ...(isOther ? metadata : without(name, metadata)), ...beside };
      return outcome(isOneOfSeveral ? `${name}: ${value}` : name, of(base), of({ ...base, [name]: value }));
    }),
  );
  const ofAuthentication = authenticated.map((name) => {
    const base = without(name, metadata);
    const authentication = { spec: { secretTargetRef: [{ parameter: name, name: "s", key: "k" }] } };
    return outcome(`${name} (TriggerAuthentication)`, of(base, { spec: {} }), of(base, authentication));
  });
  return [...ofMetadata, ...ofAuthentication];
}

/** A setting, and the others that KEDA would prefer to it. */
function namesOf(name: string): readonly string[] {
  const own = name.replace(/FromEnv$/, "");
  const instead: Readonly<Record<string, readonly string[]>> = {
    connection: ["connection", "host", "port", "userName", "dbName", "sslmode"],
    host: ["host", "address"],
    port: ["port", "address"],
    hosts: ["hosts", "addresses"],
    ports: ["ports", "addresses"],
    queueLength: ["queueLength", "mode", "value"],
  };
  return instead[own] ?? [own];
}

function valuesOf(sample: Sample) {
  if (typeof sample === "string") return [{ value: sample, beside: {}, isOneOfSeveral: false }];
  if ("value" in sample) return [{ ...sample, isOneOfSeveral: false }];
  return sample.map((value) => ({ value, beside: {}, isOneOfSeveral: true }));
}

function authenticationOutcome({ field, spec }: (typeof documentedAuthentications)[number]): Outcome {
  const metadata = { address: "redis.example:6379", listName: "jobs", enableTLS: "true" };
  const ofAws = { queueURL: "orders", awsRegion: "eu-west-1" };
  const read = field.startsWith("podIdentity")
    ? { type: "aws-sqs-queue", metadata: ofAws }
    : { type: "redis", metadata };
  const triggers = [{ ...read, authenticationRef: { name: "auth" } }];
  const given = { spec: { scaleTargetRef: { name: "orders" }, triggers } };
  return outcome(
    field,
    { ...given, authentication: { spec: {} } },
    {
      ...given,
      authentication: { spec: parse(spec) as object },
    },
  );
}

function outcome(field: string, without: Given, given: Given): Outcome {
  const [before, after] = [converted(without), converted(given)];
  const paths = [...new Set([...before.paths.keys(), ...after.paths.keys()])];
  const changed = paths.filter((path) => before.paths.get(path) !== after.paths.get(path));
  const says = after.notes.filter((note) => !before.notes.includes(note));
  return { field, becomes: [...new Set(changed.map(shown))].filter((path) => path !== ""), says: [...new Set(says)] };
}

function converted({ spec, annotations, authentication }: Given) {
  const object = {
    metadata: { name: "orders", namespace: "shop", ...(annotations !== undefined && { annotations }) },
    spec,
  };
  const { documents, notes } = convertScaledObject(object, {
    annotations: {},
    namespace: "shop",
    authentications: () => authentication as Settings | undefined,
  });
  const paths = new Map(
    documents.flatMap((document) => leaves(document, document["kind"] === "MetricSource" ? "source" : "HPA")),
  );
  return { paths, notes: notes.map(({ text }) => text) };
}

function leaves(value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (path.endsWith(".annotations.ebb.dev/metric-rules")) {
    const rules = Object.values(JSON.parse(String(value)) as Settings);
    return rules.flatMap((rule) => leaves(rule, "rules"));
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => leaves(item, `${path}[${index}]`));
  if (!isMap(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, `${path}.${name}`));
}

/** A path in an entry, as the page names it. */
function shown(path: string): string {
  return path
    .replace(/^HPA\.spec\.metrics\[\d+\].*\.matchLabels\./, "")
    .replace(/^HPA\.spec\.metrics\[\d+\](?:\.\w+)*?\.target\..*/, "target")
    .replace(/^HPA\.spec\.metrics\[\d+\]\.external\.metric\.name$/, "source's name")
    .replace(/^HPA\.spec\.metrics\[\d+\].*/, "metric")
    .replace(/^HPA\.metadata\.annotations\./, "")
    .replace(/^(?:source\.spec|rules)\.(fallback|activation)(\..*)?$/, "$1")
    .replace(/^source\.spec\.parameters\.(\w+).*/, "$1")
    .replace(/^source\.metadata\.name$/, "source's name")
    .replace(/^source\.(apiVersion|kind)$/, "")
    .replace(/^source\.spec\.kind$/, "kind")
    .replace(/^HPA\./, "")
    .replace(/^(spec\.behavior\.\w+)\..*/, "$1");
}
