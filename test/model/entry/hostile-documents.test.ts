import { annotationNames } from "../../../lib/model/entry/annotation-names";
import { validateHpaEntry } from "../../../lib/model/entry/validate-hpa-entry";

/**
 * Each slot validates every entry, and shows what is wrong with it: documents as large as they may be, and wrong in as
 * many places as that allows.
 */
const bytes = 127 * 1024;
const longestText = 32 * 1024;

const target = { type: "AverageValue", averageValue: "5" };
const metric = (name: string) => ({ type: "External", external: { metric: { name }, target } });
const spec = {
  ...{ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, maxReplicas: 5 },
  metrics: [metric("m")],
};
const named = (count: number, nameOf: (index: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index), value]));
const filled = (each: string) => Math.floor(bytes / each.length);
const list = (count: number, value: unknown) => Array.from({ length: count }, () => value);
const withAnnotations = (annotations: object) => ({ metadata: { name: "a", namespace: "shop", annotations }, spec });
const withSpec = (more: object) => ({ metadata: { name: "a", namespace: "shop" }, spec: { ...spec, ...more } });
const rules = (value: object) => withAnnotations({ "ebb.dev/metric-rules": JSON.stringify(value) });

const hostile: Readonly<Record<string, object>> = {
  // As long as the limit of an annotation, so that it is read.
  ...Object.fromEntries(
    annotationNames.flatMap((name) => [
      [`${name} of escapes`, withAnnotations({ [name]: "\u0001".repeat(longestText) })],
      [`${name} of digits`, withAnnotations({ [name]: `${"1".repeat(longestText - 1)}#` })],
      [`${name} beyond its limit`, withAnnotations({ [name]: "1".repeat(bytes) })],
    ]),
  ),
  "rules of 5,000 metrics": rules(named(5_000, (index) => `n${index}`, { confirm: 2 })),
  "rules of 200 metrics": rules(named(200, (index) => `n${index}`, { confirm: 2 })),
  "rules of a metric with a long name": rules({ ["x".repeat(30_000)]: {} }),
  "rules that are numbers": rules(named(200, (index) => `n${index}`, 1)),
  "rules with 2,000 unknown fields": rules({ m: named(2_000, (index) => `n${index}`, 1) }),
  "unknown annotations of ebb": withAnnotations(named(filled("ebb.dev/x10000"), (index) => `ebb.dev/x${index}`, "v")),
  "annotations with bad names": withAnnotations(named(filled("/10000v"), (index) => `/${index}`, "v")),
  "unknown fields": withSpec(named(9_000, (index) => `f${index}`, 1)),
  "metrics that are null": withSpec({ metrics: list(60_000, null) }),
  "metrics of unknown types": withSpec({ metrics: list(100, { type: "y".repeat(1_200) }) }),
  "policies that are empty": withSpec({ behavior: { scaleUp: { policies: list(25_000, {}) } } }),
  "a kind of escapes": withSpec({ scaleTargetRef: { ...spec.scaleTargetRef, kind: "\u0001".repeat(bytes) } }),
};

test.each(Object.entries(hostile))("%s: what is wrong is said in a few kilobytes", (_name, document) => {
  const { errors } = validateHpaEntry(document);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.length).toBeLessThanOrEqual(21);
  expect(errors.join("; ").length).toBeLessThanOrEqual(48 * 1024);
});

test.each<[string, object, string]>([
  ["of rules, the first wrong ones", rules(named(200, (index) => `n${index}`, { confirm: 2 })), "and 190 more"],
  [
    "of annotations, the first wrong ones",
    withAnnotations(named(25, (index) => `ebb.dev/x${index}`, "v")),
    "metadata.annotations: 15 more annotations of ebb are not checked: fix these first",
  ],
  [
    "how many names rules may have",
    rules(named(201, (index) => `n${index}`, {})),
    "expected rules of at most 200 names, got 201 (a limit of ebb): remove those that name no metric of the HPA",
  ],
  [
    "how long an annotation may be",
    withAnnotations({ "ebb.dev/metric-rules": `{"m":{}}${" ".repeat(longestText)}` }),
    "expected at most 32768 bytes, got 32776 (a limit of ebb): make it shorter",
  ],
  [
    "how many policies a direction may have",
    withSpec({ behavior: { scaleDown: { policies: list(101, { type: "Pods", value: 1, periodSeconds: 15 }) } } }),
    "spec.behavior.scaleDown.policies: expected at most 100 policies, got 101 (a limit of ebb): remove those that never decide",
  ],
])("it says %s", (_name, document, text) => {
  expect(validateHpaEntry(document).errors.at(-1)).toContain(text);
});

test("what is as much as it may be is read", () => {
  const metrics = Array.from({ length: 100 }, (_, index) => metric(`m${index}`));
  const policies = list(100, { type: "Pods", value: 1, periodSeconds: 15 });
  const annotations = { "ebb.dev/metric-rules": JSON.stringify(named(100, (index) => `m${index}`, { confirm: 2 })) };
  const metadata = { name: "a", namespace: "shop", annotations };
  const document = {
    metadata,
    spec: { ...spec, metrics, behavior: { scaleUp: { policies }, scaleDown: { policies } } },
  };
  expect(validateHpaEntry(document).errors).toEqual([]);
});
