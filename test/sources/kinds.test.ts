import { problemText } from "../../lib/model/check/problem";
import { openSqsClients } from "../../lib/aws/clients";
import Ajv, { type ValidateFunction } from "ajv";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { sourcesOver } from "../../compose";
import { onThisMachine } from "../../lib/net/address";
import { converters, unread } from "../../cli/set-up/import/keda/convert-trigger";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { type JsonSchema, fieldOf } from "../../cli/understand/explain/field-help";
import type { DescribedKind } from "../../lib/sources/description";
import { descriptions } from "../../lib/sources/descriptions";
import { readParameters } from "../../lib/sources/fields/read-fields";
import type { SourceKind } from "../../lib/sources/kind";
import { builtInKinds, sourceKinds } from "../../lib/sources/registry";
import { validateSourceParameters } from "../../lib/sources/validate-parameters";
import { externalSource } from "../../lib/readings/read-sources";
import { configurationPage } from "../../scripts/schemas/configuration-page";
import { publishedSchemas } from "../../scripts/schemas/published";
import { readYaml } from "../infra/read-template";
import { describedMadeUp } from "./made-up/describe";
import { madeUpFields } from "./made-up/fields";

const file = (path: string) => readFileSync(join(__dirname, "../..", path), "utf8");

/** What the page of every kind answers. */
const headings = ["What counts", "What absence means", "Grants", "Cost", "Differences from KEDA"];

/** The kind's variant of spec.parameters, as help shows it. */
function helpOf(name: string, schemas = publishedSchemas()) {
  const document = fieldOf("source", schemas["metric-source.json"] as JsonSchema);
  const spec = document.members.find((member) => member.name === "spec");
  const parameters = spec?.members.find((member) => member.name === "parameters");
  return parameters?.variants.find(({ when }) => when === `kind: ${name}`);
}

/** By what they hold: a schema takes a tenth of a second to compile. */
const compiled = new Map<string, ValidateFunction>();

function accepts(schemas: Readonly<Record<string, object>>, spec: object): boolean {
  const schema = schemas["metric-source.json"] ?? {};
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? new Ajv({ strict: false }).compile(schema);
  compiled.set(key, validate);
  return validate({ apiVersion: "ebb.dev/v1", kind: "MetricSource", metadata: { name: "m" }, spec });
}

type Document =
  | (HorizontalPodAutoscaler & { readonly kind: "HorizontalPodAutoscaler" })
  | { readonly kind: "MetricSource"; readonly spec: { readonly kind: string } };

/** The External metrics of an HPA, as specs of sources that are named like them. */
function externalSpecs({ spec }: HorizontalPodAutoscaler) {
  const metrics = (spec.metrics ?? []).flatMap(({ external }) => external?.metric ?? []);
  return metrics.map(({ name, selector }) => ({ kind: name, parameters: selector?.matchLabels }));
}

interface Statement {
  readonly Sid: string;
  readonly Effect: string;
}

type Reader = "SyncRole" | "WatchRole";

const statementsOf = (role: Reader) => {
  const { Resources } = readYaml<{
    readonly Resources: Readonly<
      Record<
        Reader,
        {
          readonly Properties: {
            readonly Policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[];
          };
        }
      >
    >;
  }>("infra/roles.yml");
  return Resources[role].Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};

/** As the role has to have them. */
const declaredBy = ({ iam }: DescribedKind) => iam.map((statement) => ({ Effect: "Allow", ...statement }));

const grantedTo = (role: Reader, { iam }: DescribedKind) => {
  const sids = iam.map(({ Sid }) => Sid);
  return statementsOf(role).filter(({ Sid }) => sids.includes(Sid));
};

test("every kind in the registry is described, under its own name", () => {
  const kinds: readonly (readonly [string, SourceKind])[] = Object.entries(sourceKinds);
  expect(kinds.map(([key, { name, isBuiltIn }]) => [key, name, isBuiltIn])).toEqual(
    Object.entries(descriptions).map(([key, { name, isBuiltIn }]) => [key, name, isBuiltIn]),
  );
  for (const [key, { name }] of kinds) expect(name).toBe(key);
});

describe.each<[string, DescribedKind]>(Object.entries(descriptions))("%s", (name, kind) => {
  const { example, iam, keda } = kind;

  test("its example is valid, for the schema too, and can be read", () => {
    const spec = { kind: name, parameters: example };
    expect(validateSourceParameters(spec)).toEqual([]);
    expect(accepts(publishedSchemas(), spec)).toBe(true);
    expect(kind.parse({ metricName: name, parameters: example })).toEqual(expect.any(Object));
    if (kind.isBuiltIn) expect(Object.values(example).filter((value) => typeof value !== "string")).toEqual([]);
  });

  test("help has its summary, and a description of each parameter", () => {
    const help = helpOf(name);
    expect(help?.description).toBe(`${kind.summary} docs/sources/${name}.md`);
    expect(help?.members.map((member) => member.name)).toEqual(Object.keys(kind.fields));
    const all = help?.members.flatMap((member) => [member, ...member.members]) ?? [];
    expect(all.filter((member) => member.description === "").map((member) => member.name)).toEqual([]);
  });

  test("has a page of its own, and a table on the page of the configuration", () => {
    const page = file(`docs/sources/${name}.md`);
    expect(page).toContain(kind.isBuiltIn ? "matchLabels:" : `kind: ${name}`);
    expect(page).toContain(`../configuration.md#sourcespecparameters`);
    for (const heading of headings) expect(page).toContain(`\n## ${heading}\n`);
    expect(file("docs/sources/README.md")).toContain(`](${name}.md)`);
    expect(configurationPage()).toContain(`**\`kind: ${name}\`**: ${kind.summary}`);
    for (const action of iam.flatMap(({ Action }) => Action)) expect(page).toContain(`\`${action}\``);
  });

  test("the via that its page shows is valid", () => {
    const shown = file(`docs/sources/${name}.md`).match(/^ *via: \{.*$/gm) ?? [];
    for (const line of shown) {
      const spec = { kind: name, parameters: parse(line) as object };
      const problems = validateSourceParameters(spec).filter(({ path }) => path.includes("via"));
      expect(problems).toEqual([]);
    }
  });

  test("an example in a file uses it", () => {
    const path = `examples/hpa-${name}.yaml`;
    expect(existsSync(join(__dirname, "../..", path))).toBe(true);
    const specs = file(path)
      .split(/^---$/m)
      .map((document) => parse(document) as Document)
      .flatMap((document) => (document.kind === "MetricSource" ? [document.spec] : externalSpecs(document)));
    expect(specs.map((spec) => spec.kind)).toContain(name);
    for (const spec of specs) expect(validateSourceParameters(spec)).toEqual([]);
  });

  test("doctor has advice that names each action of its role", () => {
    const words = kind.advice?.words.join("") ?? "";
    expect(words).toMatch(kind.name === "schedule" ? /^$/ : /^check that /);
    for (const action of iam.flatMap(({ Action }) => Action)) expect(words).toContain(action);
  });

  test("the roles of sync and watch have its statements", () => {
    for (const role of ["SyncRole", "WatchRole"] as const) expect(grantedTo(role, kind)).toEqual(declaredBy(kind));
  });

  test("import keda has each of its triggers once", () => {
    for (const type of Object.keys(keda)) {
      expect(converters.has(type)).toBe(true);
      expect(Object.keys(unread)).not.toContain(type);
      const others = Object.values(descriptions).filter((other) => other !== kind);
      expect(others.filter((other) => type in other.keda)).toEqual([]);
    }
  });

  test("a sync reads it by its name alone if it is built in, and only then", () => {
    const clients = { sqs: openSqsClients(), cloudwatch: {} };
    const sources = sourcesOver(clients, { now: () => Date.now(), addresses: onThisMachine });
    const found = externalSource({ name, selector: { matchLabels: {} } }, { entries: new Map(), sources });
    expect(found.kind).toBe(kind.isBuiltIn ? "source" : "cluster");
    expect(builtInKinds().includes(name)).toBe(kind.isBuiltIn);
  });

  const triggers = Object.entries(keda);
  if (triggers.length === 0) return;
  test.each(triggers)("a KEDA trigger %s becomes parameters that it has", (_type, convert) => {
    const noted: string[] = [];
    const { parameters, target, fitsLabels } = convert({
      namespace: "shop",
      text: (setting) => `${setting.length}`,
      given: (setting) => `${setting.length}`,
      isSet: () => true,
      required: (setting) => `${setting.length}`,
      flag: (_setting, fallback) => !fallback,
      activation: (setting) => void noted.push(setting),
      note: (setting) => void noted.push(setting),
      unneeded: () => false,
      lost: () => false,
      secret: () => false,
    });
    expect(Object.keys(kind.fields)).toEqual(expect.arrayContaining(Object.keys(parameters)));
    expect(target).toMatch(/^\d+$/);
    if (iam.length > 0) expect(noted[0]).toMatch(/^activation/);
    if (fitsLabels !== true) return;
    expect(kind.isBuiltIn).toBe(true);
    expect(Object.values(parameters).filter((value) => typeof value !== "string")).toEqual([]);
  });
});

test("the role of sync has no other rights on metrics", () => {
  const declared = Object.values(descriptions).flatMap(({ iam }) => iam.map(({ Sid }) => Sid));
  const others = statementsOf("SyncRole").filter(({ Sid }) => !declared.includes(Sid));
  expect(others.map(({ Sid }) => Sid)).toEqual([
    ...["WriteLogs", "SyncShards", "ConsumeSlots"],
    ...["ReadClusterSecrets", "ReadClusterParameters", "CheckEksEndpoints", "ActAsClusterRoles"],
  ]);
});

describe("a kind that is added to the registry", () => {
  const described = describedMadeUp;
  const schemas = publishedSchemas([...Object.values(descriptions), described]);
  const spec = (parameters: object) => ({ kind: "made-up", parameters });

  test.each<[object, readonly string[]]>([
    [{ topic: "orders", partitions: "7", isStrict: "true" }, []],
    [{ topic: "a b" }, [`spec.parameters.topic: expected a topic's name, got "a b"`]],
    [{ partitions: 0 }, ["spec.parameters.partitions: expected a whole number from 1 to 100, got 0"]],
    [{ isStrict: "yes" }, [`spec.parameters.isStrict: expected true or false, got "yes"`]],
    [
      { topics: "a" },
      ["spec.parameters.topics: unknown field (did you mean topic?), expected one of topic, partitions, isStrict"],
    ],
  ])("is checked, by its entries' validation and by the schema: %j", (parameters, problems) => {
    const find = (name: string) => (name === "made-up" ? described : undefined);
    expect(validateSourceParameters(spec(parameters), find).map(problemText)).toEqual(problems);
    expect(accepts(schemas, spec(parameters))).toBe(problems.length === 0);
  });

  // A role is readable as it is deployed, so nobody but a person changes it: docs/decisions/0020.
  test("needs its statements in the role of sync", () => {
    expect(declaredBy(described)).toEqual([
      { Effect: "Allow", Sid: "ReadMadeUpTopics", Action: "madeup:ReadTopic", Resource: "*" },
    ]);
    expect(grantedTo("WatchRole", described)).toEqual([]);
  });

  test("is read in the types that it declares", () => {
    const given = { topic: "orders", partitions: "7", isStrict: "true" };
    expect(readParameters(madeUpFields, given)).toEqual({ topic: "orders", partitions: 7, isStrict: true });
    expect(() => readParameters(madeUpFields, { topics: "a" })).toThrow(
      "parameter topics: unknown field (did you mean topic?), expected one of topic, partitions, isStrict",
    );
  });

  test("has help, and a table on the page of the configuration", () => {
    const help = helpOf("made-up", schemas);
    expect(help?.description).toBe("The lag of a made-up topic. docs/sources/made-up.md");
    expect(help?.members.map(({ name, form, default: value }) => [name, form, value])).toEqual([
      ["topic", "a topic's name", undefined],
      ["partitions", "a whole number from 1 to 100", "1"],
      ["isStrict", "true or false", undefined],
    ]);
    const page = configurationPage(schemas);
    expect(page).toContain("**`kind: made-up`**: The lag of a made-up topic.");
    expect(page).toContain("- `partitions` (1 to 100; default 1): How many of its partitions count.\n");
    expect(page).toMatch(/^- `kind` \(such as (`\w+`, )+`made-up`; required\)/m);
  });
});
