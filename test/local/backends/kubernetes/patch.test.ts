import { patchObject } from "../../../../local/backends/kubernetes/operations/patch";
import { StatusError } from "../../../../local/backends/kubernetes/resources/status";

const object = { spec: { replicas: 2, containers: [{ name: "a", image: "1" }, { name: "b" }], args: ["x"] }, keep: 1 };
const of = (kind: string): string => `application/${kind}+json`;

test.each([
  ["merge: null deletes, lists are replaced", "merge-patch", { keep: null, spec: { args: ["y"] } }, { args: ["y"] }],
  [
    "strategic: an item is deleted by its key",
    "strategic-merge-patch",
    { keep: null, spec: { containers: [{ name: "a", $patch: "delete" }] } },
    { containers: [{ name: "b" }] },
  ],
  [
    "strategic: an item is merged, a new one added",
    "strategic-merge-patch",
    { keep: null, spec: { containers: [{ name: "b", image: "2" }, { name: "c" }] } },
    { containers: [{ name: "a", image: "1" }, { name: "b", image: "2" }, { name: "c" }] },
  ],
  [
    "strategic: a list is replaced whole",
    "strategic-merge-patch",
    { keep: null, spec: { containers: [{ name: "z" }, { $patch: "replace" }] } },
    { containers: [{ name: "z" }] },
  ],
  [
    "JSON patch",
    "json-patch",
    [
      { op: "test", path: "/spec/replicas", value: 2 },
      { op: "replace", path: "/spec/replicas", value: 5 },
      { op: "add", path: "/spec/args/-", value: "y" },
      { op: "remove", path: "/keep" },
    ],
    { replicas: 5, args: ["x", "y"] },
  ],
])("%s", (_name, kind, patch, spec) => {
  expect(patchObject(object, patch, of(kind), false)).toEqual({ spec: { ...object.spec, ...spec } });
});

test("a JSON patch whose test fails changes nothing and is refused", () => {
  const patch = [{ op: "test", path: "/spec/replicas", value: 3 }];
  expect(() => patchObject(object, patch, of("json-patch"), false)).toThrow("testing value /spec/replicas failed");
});

test("custom kinds know no strategic merge", () => {
  expect(() => patchObject(object, {}, of("strategic-merge-patch"), true)).toThrow(StatusError);
  expect(patchObject(object, {}, of("merge-patch"), true)).toEqual(object);
});

test("no patch reaches a prototype", () => {
  const merged = patchObject({}, JSON.parse('{"__proto__":{"polluted":1}}'), of("merge-patch"), false);
  expect(() =>
    patchObject({}, [{ op: "add", path: "/__proto__/polluted", value: 1 }], of("json-patch"), false),
  ).toThrow("does not exist");
  expect([({} as Record<string, unknown>)["polluted"], merged["polluted"]]).toEqual([undefined, undefined]);
});
