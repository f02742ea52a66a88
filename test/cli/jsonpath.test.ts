import { fillAsJson, fillTemplate, parseTemplate } from "../../cli/shell/print/json-path-template";

const list = {
  apiVersion: "v1",
  items: [
    {
      metadata: {
        name: "orders",
        labels: { app: "o", "app-name": "x" },
        annotations: { "ebb.dev/paused": "true", 'a"b': "q" },
      },
      spec: { maxReplicas: 10, minReplicas: 2 },
      status: {
        conditions: [
          { type: "AbleToScale", status: "True" },
          { type: "ScalingActive", status: "False" },
        ],
        currentMetrics: null,
      },
    },
    { metadata: { name: "web" }, spec: { maxReplicas: 3 }, status: { conditions: [] } },
  ],
};

/** The expressions that people write; test/e2e/kubectl-plugin.test.ts asks the real kubectl the same. */
test.each<[string, string]>([
  ["{.items[*].metadata.name}", "orders web"],
  ["{$.items[*].metadata.name}", "orders web"],
  ["{.items[0].metadata.name}", "orders"],
  ["{.items[-1].metadata.name}", "web"],
  ["{.items[0:1].metadata.name}", "orders"],
  ["{.items[0,1].spec.maxReplicas}", "10 3"],
  ["{..name}", "orders web"],
  ['{range .items[*]}{.metadata.name}{"\\t"}{.spec.maxReplicas}{"\\n"}{end}', "orders\t10\nweb\t3\n"],
  ["{range .items[*]}{.metadata.name}{'\\n'}{end}", "orders\nweb\n"],
  ["{range .items[*]}[{range .status.conditions[*]}{.type},{end}]{end}", "[AbleToScale,ScalingActive,][]"],
  ['{.items[?(@.metadata.name=="web")].spec.maxReplicas}', "3"],
  ["{.items[?(@.spec.maxReplicas>5)].metadata.name}", "orders"],
  ["{.items[?(@.spec.minReplicas)].metadata.name}", "orders"],
  ['{.items[*].status.conditions[?(@.type=="ScalingActive")].status}', "False"],
  ["{.items[*].metadata.annotations.ebb\\.dev/paused}", "true"],
  ["{.items[*].metadata.annotations['ebb\\.dev/paused']}", "true"],
  ["{.items[0].metadata.labels.app-name}", "x"],
  ["{.items[0].metadata.labels}", '{"app":"o","app-name":"x"}'],
  ["{.items[0].spec['maxReplicas','minReplicas']}", "10 2"],
  ["{.items[1].spec.none}", ""],
  ["{.items[*].spec.minReplicas}", "2"],
  ["name: {.items[0].metadata.name}!", "name: orders!"],
  ["{.items[0].status.conditions[*].type}", "AbleToScale ScalingActive"],
  ["{.items[0].status.currentMetrics}", "null"],
  ["plain", "plain"],
])("%s", (template, expected) => {
  expect(fillTemplate(parseTemplate(template), list)).toBe(expected);
});

/** As the real kubectl refuses them: test/e2e/kubectl.test.ts. */
test.each<[string, string]>([
  ["{.items[5].metadata.name}", "array index out of bounds: index 5, length 2"],
  ["{.items[-5].metadata.name}", "array index out of bounds: index -3, length 2"],
  ["{.items[0:9].metadata.name}", "array index out of bounds: index 8, length 2"],
  ["{.items[5:9].metadata.name}", "array index out of bounds: index 5, length 2"],
  ["{.items[1:0].metadata.name}", "starting index 1 is greater than ending index 0"],
  ["{.items[0:1:0].metadata.name}", "step must be > 0"],
  ["{.items[0,7].metadata.name}", "array index out of bounds: index 7, length 2"],
  ["{range .items[*]}{.status.conditions[1].type}{end}", "array index out of bounds: index 1, length 0"],
  ["{.kind[0]}", "string is not array or slice"],
  ["{.items[0].metadata[*]}", "map[string]interface {} is not array or slice"],
  ["{.items[0].spec.maxReplicas[0]}", "int64 is not array or slice"],
])("%s cannot be filled in", (template, message) => {
  expect(() => fillTemplate(parseTemplate(template), { kind: "List", ...list })).toThrow(
    `error executing jsonpath ${JSON.stringify(template)}: Error executing template: ${message}`,
  );
});

test.each<[string, string]>([
  ["{.items[0].status.currentMetrics[0].type}", ""],
  ["{.items[0].none[0]}", ""],
  ["{.items[0].none[*].x}", ""],
  ["{.items[1].status.conditions[*].type}", ""],
  ["{.items[0:0].metadata.name}", ""],
  ["{.items[::2].metadata.name}", "orders"],
  ["{.items[-2:].metadata.name}", "orders web"],
])("%s finds %p", (template, expected) => {
  expect(fillTemplate(parseTemplate(template), list)).toBe(expected);
});

test.each<[string, string]>([
  ["{.items[*].metadata.name}", '[\n    "orders",\n    "web"\n]\n'],
  ["{range .items[*]}{.metadata.name}{end}", '[\n    "orders"\n]\n[\n    "web"\n]\n'],
  ["a{.items[1].spec}", '[\n    "a"\n]\n[\n    {\n        "maxReplicas": 3\n    }\n]\n'],
  ["{.items[0].none}", "[]\n"],
])("%s as JSON", (template, expected) => {
  expect(fillAsJson(parseTemplate(template), list)).toBe(expected);
});

test.each<[string, string]>([
  ["{.items[*]", "unclosed action"],
  ["{.items[}", "unterminated array: ["],
  ["{.items[a]}", "invalid array index: [a]"],
  ["{.items[999999999999999999999]}", "invalid array index: [999999999999999999999]"],
  ["{.items[0:99999999999999999999]}", "invalid array index: [0:99999999999999999999]"],
  ["{.items[]}", "expected an index, a slice, a name or *: []"],
  ["{range .items[*]}{.x}", "unclosed range action"],
  ["{end}", "not in range, nothing to end"],
  ["{metadata.name}", "unrecognized identifier metadata.name"],
  ['{"a}', 'unterminated quoted string: "a}'],
  ["{.a b}", "unrecognized character in path:  b"],
])("%s is refused", (template, message) => {
  expect(() => parseTemplate(template)).toThrow(`error parsing jsonpath ${template}, ${message}`);
});
