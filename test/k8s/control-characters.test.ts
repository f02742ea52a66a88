import { validateHpa } from "../../lib/k8s/validate/validate-hpa";

/** ebb's own rule: upstream accepts all of these. */
const target = { type: "Value", value: "1" };
const described = { apiVersion: "v1", kind: "Service", name: "s" };

function errorsOf(spec: object, metadata: object = {}): readonly string[] {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  return validateHpa({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop", ...metadata },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  }).errors;
}

const reference = (field: object) => ({
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web", ...field },
});
const metric = (type: string, source: object) => ({ metrics: [{ type, [type.toLowerCase()]: source }] });

test.each<[string, object, string]>([
  ["NUL", { name: "a\0b" }, 'spec.scaleTargetRef.name: Invalid value: "a\\x00b"'],
  ["a newline", { name: "web\n" }, 'spec.scaleTargetRef.name: Invalid value: "web\\n"'],
  ["ESC", { name: "\u001b[2J" }, 'spec.scaleTargetRef.name: Invalid value: "\\x1b[2J"'],
  ["a C1 control", { name: "a\u009bb" }, 'spec.scaleTargetRef.name: Invalid value: "a\\u009bb"'],
  ["a bidi override", { name: "a\u202eb" }, 'spec.scaleTargetRef.name: Invalid value: "a\\u202eb"'],
  ["a line separator", { name: "a\u2028b" }, 'spec.scaleTargetRef.name: Invalid value: "a\\u2028b"'],
  ["half a character", { name: "a\ud800b" }, 'spec.scaleTargetRef.name: Invalid value: "a\ufffdb"'],
  ["in the kind", { kind: "Deploy\nment" }, 'spec.scaleTargetRef.kind: Invalid value: "Deploy\\nment"'],
  ["in the apiVersion", { apiVersion: "apps/v1\n" }, 'spec.scaleTargetRef.apiVersion: Invalid value: "apps/v1\\n"'],
])("a target's reference with %s is an error that shows it escaped", (_name, field, message) => {
  expect(errorsOf(reference(field))).toEqual([`${message}: must not contain control characters`]);
});

test.each<[string, object, string]>([
  ["External", metric("External", { metric: { name: "m\n" }, target }), "external.metric.name"],
  [
    "Pods",
    metric("Pods", { metric: { name: "m\n" }, target: { type: "AverageValue", averageValue: "1" } }),
    "pods.metric.name",
  ],
  ["Object", metric("Object", { metric: { name: "m\n" }, describedObject: described, target }), "object.metric.name"],
  [
    "an Object's object",
    metric("Object", { metric: { name: "m" }, describedObject: { ...described, name: "m\n" }, target }),
    "object.describedObject.name",
  ],
  [
    "Resource",
    metric("Resource", { name: "m\n", target: { type: "Utilization", averageUtilization: 1 } }),
    "resource.name",
  ],
])("a metric's name: %s", (_name, spec, field) => {
  const expected = `spec.metrics[0].${field}: Invalid value: "m\\n": must not contain control characters`;
  expect(errorsOf(spec)).toEqual([expected]);
});

test.each(["name", "namespace"])("upstream's own rules refuse them in metadata.%s", (field) => {
  for (const odd of ["a\0b", "a\n"]) expect(errorsOf({}, { [field]: odd })).toHaveLength(1);
});

test("upstream's own rules refuse them in a container's name and in labels", () => {
  const utilization = { type: "Utilization", averageUtilization: 1 };
  const containerResource = { name: "cpu", container: "app\n", target: utilization };
  expect(errorsOf({ metrics: [{ type: "ContainerResource", containerResource }] })).toHaveLength(1);
  expect(errorsOf({}, { labels: { a: "b\n" } })).toHaveLength(1);
});

test("a selector's labels are free text: they may be a source's parameters, such as an expression of several lines", () => {
  const selector = { matchLabels: { expression: "SUM(\n  m1\n)" } };
  expect(errorsOf(metric("External", { metric: { name: "cloudwatch", selector }, target }))).toEqual([]);
});

test("names beyond ASCII stay allowed", () => {
  expect(errorsOf(reference({ name: "größe-数" }))).toEqual([]);
});
