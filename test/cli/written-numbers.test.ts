import { readDocuments } from "../../cli/shell/input/read-documents";
import { checkDocument } from "../../cli/write/documents/check-document";
import { validateHpaJson } from "../../lib/k8s/validate/validate-hpa";
import { jsonOf, quantitiesOf, writtenNumbers, yamlNumbers, yamlOf } from "../k8s/written-numbers";

function read(text: string): readonly unknown[] {
  return readDocuments(text).map((source) => {
    if ("error" in source) return source.error;
    const { numbers = new Map<string, string>() } = source;
    const result = checkDocument(source.value, "shop", { numbers });
    return "errors" in result ? result.errors : quantitiesOf(result.checked.document["spec"]);
  });
}

describe("an unquoted quantity is what the API server makes of it", () => {
  test.each(writtenNumbers)("%s", (written, ofJson, ofYaml) => {
    expect(quantitiesOf(validateHpaJson(jsonOf(written)).hpa?.spec)).toEqual([ofJson, ofJson]);
    expect(read(jsonOf(written))).toEqual([[ofJson, ofJson]]);
    expect(read(`\n  ${jsonOf(written)}\n`)).toEqual([[ofJson, ofJson]]);
    expect(read(yamlOf(written))).toEqual([[ofYaml, ofYaml]]);
  });

  test.each(yamlNumbers)("%s, in YAML", (written, served) => {
    expect(read(yamlOf(written))).toEqual([[served, served]]);
  });

  test("in each item of a list, and in each document of a file", () => {
    const items = `[${jsonOf("5")},${jsonOf("2.860")}]`;
    const expected = [
      ["5", "5"],
      ["2.860", "2.860"],
    ];
    expect(read(`{"apiVersion":"v1","kind":"List","items":${items}}`)).toEqual(expected);
    const large = yamlOf("9007199254740993").replaceAll("\n", "\n  ").trimEnd();
    expect(read(`kind: List\nitems:\n- ${large}\n`)).toEqual([["9007199254740993", "9007199254740993"]]);
    expect(read(`${yamlOf("5")}---\n${yamlOf("2.860")}`)).toEqual([
      ["5", "5"],
      ["2860m", "2860m"],
    ]);
  });

  test("in the annotations of v1", () => {
    const metrics = '[{"type":"External","external":{"metricName":"q","targetValue":2.860}}]';
    const { hpa } = validateHpaJson(
      JSON.stringify({
        apiVersion: "autoscaling/v1",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "web", annotations: { "autoscaling.alpha.kubernetes.io/metrics": metrics } },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "w" } },
      }),
    );
    expect(quantitiesOf(hpa?.spec)[0]).toBe("2.860");
  });
});

test("numbers of other fields, and ones far too long, are read as before", () => {
  const digits = "1".repeat(100_000);
  expect(read(yamlOf("5").replace('"maxReplicas": 3', `"maxReplicas": ${digits}`))[0]).toMatchObject([
    { path: "spec.maxReplicas" },
  ]);
  expect(read(jsonOf("5").replace('"maxReplicas":3', '"maxReplicas":3.0'))).toEqual([["5", "5"]]);
  const deep = `${"[".repeat(400)}1.0${"]".repeat(400)}`;
  expect(read(jsonOf("2.860").replace('"spec"', `"x":${deep},"spec"`))[0]).toMatchObject([{ path: "x" }]);
});

test.each<[string, string, string]>([
  ["kind", '"kind":"Hor', '"kind":"x","kind":"Hor'],
  ["spec.maxReplicas", '"maxReplicas":3', '"maxReplicas":3,"maxReplicas":4'],
])("a JSON file that gives %s twice has the API server's error", (field, from, to) => {
  const text = jsonOf("5").replace(from, to);
  const expected = `strict decoding error: duplicate field "${field}"`;
  expect(validateHpaJson(text).errors).toEqual([expected]);
  expect(read(text)).toEqual([expected]);
});
