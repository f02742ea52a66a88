import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Ajv from "ajv";
import { generatedFiles } from "../../scripts/schemas/generated";
import { publishedSchemas } from "../../scripts/schemas/published";

const root = join(__dirname, "../..");
const schemas = publishedSchemas();
const accepts = new Ajv({ strict: false, validateFormats: false }).compile(schemas["hpa.json"] as object);

test.each(Object.entries(generatedFiles()))("%s is as the schemas say (npm run schema writes it)", (path, content) => {
  expect(readFileSync(join(root, path), "utf8")).toBe(content);
});

describe("a published schema", () => {
  test.each(Object.entries(schemas))("%s describes every field", (_file, schema) => {
    expect(fieldsWithoutDescription(schema, [])).toEqual([]);
  });

  test("is draft 07, which every editor's YAML server knows", () => {
    for (const schema of Object.values(schemas)) {
      expect(new Ajv({ strict: false }).validateSchema(schema)).toBe(true);
    }
  });
});

/**
 * Paths of the fields without a description, in place or in their type. Fields under a condition are described
 * elsewhere.
 */
function fieldsWithoutDescription(schema: unknown, path: readonly string[]): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { title, properties = {}, if: _if, not: _not, contains: _contains, ...others } = schema as Node;
  const isType = title !== undefined;
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(isType && field.description === undefined ? [[...path, name].join(".")] : []),
      ...fieldsWithoutDescription(field, [...path, name]),
    ]),
    ...Object.entries(others).flatMap(([name, member]) => fieldsWithoutDescription(member, [...path, name])),
  ];
}

interface Node extends Readonly<Record<string, unknown>> {
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
}

interface Vector {
  readonly id: string;
  readonly given: { readonly metadata: object; readonly spec: object };
  readonly expect: { readonly errors: readonly string[] };
}

function readVectors(): Vector[] {
  const text = gunzipSync(readFileSync(join(root, "test/vectors/validation.jsonl.gz"))).toString("utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Vector);
}

/**
 * Only upstream's validation compares fields with each other, or with a list that a schema would have to repeat.
 */
const beyondSchemas = [
  /^spec\.maxReplicas: Invalid value: \d+: must be greater than or equal to `minReplicas`$/,
  /^spec\.metrics\[\d+\]\.containerResource\.name: Invalid value: .* must be a standard resource/,
];

describe("the schema of HPAs agrees with upstream's validation", () => {
  const vectors = readVectors();

  test("every recorded document that is valid passes", () => {
    const valid = vectors.filter(({ expect }) => expect.errors.length === 0);
    expect(valid.filter(({ given }) => !accepts(given)).map(({ id }) => id)).toEqual([]);
    expect(valid).toHaveLength(1031);
  });

  test("every recorded document that is invalid fails, unless no schema can say so", () => {
    const invalid = vectors.filter(({ expect }) => expect.errors.length > 0);
    const passed = invalid.filter(({ given }) => accepts(given)).flatMap(({ expect }) => expect.errors);
    expect(passed.filter((error) => !beyondSchemas.some((pattern) => pattern.test(error)))).toEqual([]);
    expect(invalid).toHaveLength(955);
  });

  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 3 },
  };

  test.each<[string, object]>([
    ["an unknown field of the document", { ...hpa, specs: {} }],
    ["an unknown field of the spec", { ...hpa, spec: { ...hpa.spec, maxReplica: 3 } }],
    ["a number as text", { ...hpa, spec: { ...hpa.spec, maxReplicas: "3" } }],
    ["no spec", { ...hpa, spec: undefined }],
    ["another kind", { ...hpa, kind: "Deployment" }],
    ["another group", { ...hpa, apiVersion: "apps/v1" }],
    ["a label that is a number", { ...hpa, metadata: { name: "web", labels: { a: 1 } } }],
  ])("and refuses %s", (_name, document) => {
    expect(accepts(JSON.parse(JSON.stringify(document)))).toBe(false);
  });

  test.each(["autoscaling/v1", "autoscaling/v2beta2", "autoscaling/v2beta1", "autoscaling/v2alpha1"])(
    "%s is accepted with fields of its own",
    (apiVersion) => {
      const spec = { ...hpa.spec, targetCPUUtilizationPercentage: 50 };
      expect(accepts({ ...hpa, apiVersion, spec })).toBe(true);
      expect(accepts({ ...hpa, apiVersion, spec: { ...spec, maxReplicas: "3" } })).toBe(false);
    },
  );
});
