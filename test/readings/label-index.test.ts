import { parseSelector, selectorFrom } from "../../lib/k8s/selector";
import { equalities, indexByLabel } from "../../lib/readings/overlapping-selectors";

test.each<[string, readonly (readonly [string, string])[]]>([
  ["app=web", [["app", "web"]]],
  ["app==web", [["app", "web"]]],
  ["app in (web)", [["app", "web"]]],
  ["app in (web,api)", []],
  ["app!=web", []],
  ["app notin (web)", []],
  ["app", []],
  ["!app", []],
  ["", []],
  [
    "app=web,tier in (a,b),team=x",
    [
      ["app", "web"],
      ["team", "x"],
    ],
  ],
])("the labels for which %p requires one value", (text, expected) => {
  expect(equalities(parseSelector(text))).toEqual(expected);
});

test("a selector that selects nothing requires nothing", () => {
  expect(equalities(selectorFrom({ matchExpressions: [{ key: "a", operator: "In", values: ["x"] }] }))).toEqual([
    ["a", "x"],
  ]);
  expect(equalities({ kind: "nothing" })).toEqual([]);
});

const object = (name: string, labels?: Record<string, string>) => ({
  metadata: { name, namespace: "shop", ...(labels && { labels }) },
});
const all = [
  object("web-1", { app: "web", tier: "a" }),
  object("web-2", { app: "web", tier: "b" }),
  object("api-1", { app: "api", tier: "a" }),
  object("bare"),
];
const index = indexByLabel(all);
const matching = (selector: string) => index.matching(parseSelector(selector)).map(({ metadata }) => metadata.name);

test.each<[string, readonly string[]]>([
  ["app=web", ["web-1", "web-2"]],
  ["app=web,tier=a", ["web-1"]],
  ["tier=a,app=web", ["web-1"]],
  ["app=web,tier notin (a)", ["web-2"]],
  ["app=none", []],
  ["none=web", []],
  ["app notin (web)", ["api-1", "bare"]],
  ["!app", ["bare"]],
  ["", ["web-1", "web-2", "api-1", "bare"]],
])("what %p matches", (selector, expected) => {
  expect(matching(selector)).toEqual(expected);
});

test("only the objects of the rarest required label are looked at", () => {
  const looked: string[] = [];
  const watched = Array.from({ length: 20 }, (_, at) => {
    const metadata = { name: `p${at}`, namespace: "shop" };
    const labels = { app: "web", tier: at === 7 ? "rare" : "usual" };
    return {
      metadata: Object.defineProperty({ ...metadata, labels }, "labels", {
        get: () => (looked.push(metadata.name), labels),
      }),
    };
  });
  const watching = indexByLabel(watched);
  looked.length = 0;
  expect(watching.matching(parseSelector("app=web,tier=rare")).map(({ metadata }) => metadata.name)).toEqual(["p7"]);
  expect(new Set(looked)).toEqual(new Set(["p7"]));
});
