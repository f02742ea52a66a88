import type { State } from "../../lib/model/stored/state";
import { freshState } from "../../lib/sync/hpa/next-state";
import { openOverlappingSelectors } from "../../lib/readings/overlapping-selectors";
import { fixture } from "../sync/sync-fixture";

const knowing = (selectors: Record<string, string>) => {
  const states: Record<string, State> = Object.fromEntries(
    Object.entries(selectors).map(([key, selector]) => [key, { ...freshState({}, 0), version: 1, selector }]),
  );
  return openOverlappingSelectors(states, new Set(Object.keys(selectors)));
};
const pod = (labels: Record<string, string>) => ({ metadata: { name: "p", namespace: "shop", labels } });

test.each([
  ["each a value of the same label", { "shop/a": "app=a", "shop/b": "app=b" }, false],
  ["the same value", { "shop/a": "app=a", "shop/b": "app=a" }, true],
  ["another label", { "shop/a": "app=a", "shop/b": "team=x" }, true],
  ["one that demands no certain value", { "shop/a": "app=a", "shop/b": "app notin (c)" }, true],
  ["one that cannot be read", { "shop/a": "app=a", "shop/b": "app==(" }, true],
  ["another namespace", { "shop/a": "app=a", "else/b": "app=a" }, false],
  ["nobody else", { "shop/a": "app=a" }, false],
])("whether pods have to be listed to tell who shares them: %s", (_name, selectors, expected) => {
  expect(knowing(selectors).mayShare("shop/a", "app=a")).toBe(expected);
});

describe("of long selectors, the first labels tell", () => {
  const labels = (own: string) => Array.from({ length: 80 }, (_, index) => `label-${index}=value-${own}`).join(",");

  test("that no pod matches two", () => {
    const selectors = { "shop/a": labels("a"), "shop/b": labels("b"), "shop/c": "label-3=value-c" };
    expect(knowing(selectors).mayShare("shop/a", labels("a"))).toBe(false);
  });

  test("nothing, if they are the same", () => {
    const selectors = { "shop/a": `${labels("x")},z=a`, "shop/b": `${labels("x")},z=b` };
    const overlapping = knowing(selectors);
    expect(overlapping.mayShare("shop/a", selectors["shop/a"])).toBe(true);
    const shared = Object.fromEntries(
      labels("x")
        .split(",")
        .map((label) => label.split("=") as [string, string]),
    );
    expect(overlapping.of("shop/a", [pod(shared)])).toHaveLength(1);
    expect(overlapping.of("shop/a", [pod({ app: "a" })])).toEqual([]);
  });

  test("nothing, if they have too many values", () => {
    const values = (own: string) =>
      `a=1,app in (${Array.from({ length: 80 }, (_, at) => `${own}-${at}`).join(",")}),z=${own}`;
    const selectors = { "shop/a": values("long-name-a"), "shop/b": values("long-name-b") };
    expect(knowing(selectors).mayShare("shop/a", selectors["shop/a"])).toBe(true);
    expect(knowing(selectors).of("shop/a", [pod({ a: "1" })])).toHaveLength(1);
    expect(knowing(selectors).of("shop/a", [pod({ a: "2" })])).toEqual([]);
  });
});

test("looks only at the selectors that may match these pods", () => {
  const overlapping = knowing({
    "shop/a": "app=a",
    "shop/b": "team=x",
    "shop/c": "team=x,app=c",
    "shop/d": "!legacy",
    "else/e": "app=a",
  });
  const names = (labels: Record<string, string>) => overlapping.of("shop/a", [pod(labels)]).map(({ name }) => name);
  expect(names({ app: "a" })).toEqual(["d"]);
  expect(names({ app: "a", team: "x" })).toEqual(["d", "b"]);
  expect(overlapping.of("shop/a", [])).toEqual([expect.objectContaining({ name: "d" })]);
});

test("two HPAs on the same pods halt each other, once each knows of the other", async () => {
  const day = fixture();
  day.depth(5);
  const entry = day.store.documents.get("prod shop/orders") as { metadata: object };
  day.store.documents.set("prod shop/twin", { ...entry, metadata: { ...entry.metadata, name: "twin" } });
  day.cluster.pods = [{ metadata: { name: "orders-1", namespace: "shop", labels: { app: "orders" } } }];
  await day.sync(1);
  day.depth(50);
  await day.sync(2);
  await day.sync(3);
  expect(day.cluster.writes).toEqual([]);
  expect(day.condition("ScalingActive")).toMatchObject({ status: "False", reason: "AmbiguousSelector" });
});

describe("HPAs that count as neighbours", () => {
  const state = (selector?: string): State => ({
    ...{ ...freshState({}, 0), version: 1 },
    ...(selector !== undefined && { selector }),
  });
  const among = (states: Record<string, State>, present: readonly string[]) =>
    openOverlappingSelectors(states, new Set(present));

  test.each<[string, State, readonly string[], boolean]>([
    ["one that is gone", state("app=a"), ["shop/a"], false],
    ["one that was never synced", state(), ["shop/a", "shop/b"], false],
    ["one without a selector", state(""), ["shop/a", "shop/b"], false],
    ["one with the same selector", state("app=a"), ["shop/a", "shop/b"], true],
  ])("%s", (_name, other, present, expected) => {
    const overlapping = among({ "shop/a": state("app=a"), "shop/b": other }, present);
    expect(overlapping.mayShare("shop/a", "app=a")).toBe(expected);
    const others = overlapping.of("shop/a", [pod({ app: "a" })]).map(({ name }) => name);
    expect(others).toEqual(expected ? ["b"] : []);
  });

  test("a namespace where nobody has a selector has none", () => {
    const overlapping = among({ "shop/a": state() }, ["shop/a"]);
    expect(overlapping.mayShare("shop/a", "app=a")).toBe(false);
    expect(overlapping.of("shop/a", [pod({ app: "a" })])).toEqual([]);
  });

  test("an HPA whose selector has just changed counts itself among the others", () => {
    const overlapping = among({ "shop/a": state("app=old") }, ["shop/a"]);
    expect(overlapping.mayShare("shop/a", "app=new")).toBe(false);
    expect(overlapping.mayShare("shop/a", "app=old")).toBe(false);
    expect(overlapping.mayShare("shop/a", "team=x")).toBe(true);
  });

  test("one label that rules all others out is enough", () => {
    const states = { "shop/a": state("app=a,team=x"), "shop/b": state("app=b,team=x") };
    expect(among(states, Object.keys(states)).mayShare("shop/a", "app=a,team=x")).toBe(false);
  });

  test("each is found by its rarest label, and only once", () => {
    const overlapping = knowing({
      "shop/a": "app=x,part=a",
      "shop/b": "app=x,part=b",
      "shop/c": "app=x,part=c",
      "shop/z": "zone=z",
    });
    const names = (labels: Record<string, string>) => overlapping.of("shop/z", [pod(labels)]).map(({ name }) => name);
    expect(names({ app: "x" })).toEqual([]);
    expect(names({ app: "x", part: "b" })).toEqual(["b"]);
  });

  test("pods without labels match only those that require none", () => {
    const overlapping = knowing({ "shop/a": "app=a", "shop/b": "app=b", "shop/d": "!legacy" });
    const bare = { metadata: { name: "p", namespace: "shop" } };
    expect(overlapping.of("shop/a", [bare]).map(({ name }) => name)).toEqual(["d"]);
  });
});
