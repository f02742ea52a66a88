import fc from "fast-check";
import { scanJson } from "../../lib/k8s/codec/scan-json";
import { validateHpaJson } from "../../lib/k8s/validate/validate-hpa";

test.each<[string, string[]]>([
  ["{}", []],
  ["[]", []],
  ['"a"', []],
  ['{"a":1,"a":2,"a":3}', ["a"]],
  ['{"a":{"b":1,"c":[{"d":1,"d":2},{"d":1}],"b":2}}', ["a.c[0].d", "a.b"]],
  ['[{"a":1},{"a":1,"a":1}]', ["[1].a"]],
  ['{"a":[[1,2],[{"x":1,"x":1}]]}', ["a[1][0].x"]],
  ['{"a":1,"\\u0061":2}', ["a"]],
  ['{"a":"a","b":"a,{a:","c":"\\"a\\":"}', []],
  ['{"a\\\\":1,"a\\\\":2}', ["a\\"]],
  ['{"a":{"x":1},"b":{"x":1}}', []],
  ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
])("%s gives %j more than once", (json, paths) => {
  expect(scanJson(json).duplicates).toEqual(paths);
});

test("no text of JSON.stringify has one, however deep", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(scanJson(JSON.stringify(value)).duplicates).toEqual([])));
  expect(scanJson("[".repeat(100_000) + "]".repeat(100_000)).duplicates).toEqual([]);
});

const given = JSON.stringify({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", labels: { a: "b" } },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 5 },
});

// kube-apiserver 1.37.2 refuses the same texts.
test.each<[string, string, string[]]>([
  ['"maxReplicas":5', '"maxReplicas":3,"maxReplicas":5,"maxReplicas":5', ['duplicate field "spec.maxReplicas"']],
  ['"a":"b"', '"a":"b","a":"c"', ['duplicate field "metadata.labels.a"']],
  ['"kind":"Hor', '"kind":"x","kind":"Hor', ['duplicate field "kind"']],
  ['"kind":"HorizontalPodAutoscaler"', '"kind":"HorizontalPodAutoscaler","kind":null', ['duplicate field "kind"']],
  [
    '"apiVersion":"autoscaling/v2"',
    '"apiVersion":"autoscaling/v2","apiVersion":null',
    ['duplicate field "apiVersion"'],
  ],
  ['"maxReplicas":5', '"maxReplicas":5,"MaxReplicas":5', ['unknown field "spec.MaxReplicas"']],
  ['"maxReplicas":5', '"maxReplicas":5,"foo":{"a":1,"a":2}', ['unknown field "spec.foo"']],
  ['"maxReplicas":5', '"maxReplicas":0,"maxReplicas":0', ['duplicate field "spec.maxReplicas"']],
])("%s as %s is an error", (from, to, expected) => {
  expect(validateHpaJson(given).errors).toEqual([]);
  expect(validateHpaJson(given.replace(from, to)).errors).toEqual(
    expected.map((text) => `strict decoding error: ${text}`),
  );
});

test("of deep lists, no path of a number is kept", () => {
  const deep = `${"[".repeat(100_000)}${"1.0,".repeat(100_000)}1.0${"]".repeat(100_000)}`;
  expect(scanJson(deep).numbers.size).toBe(0);
});
