import type { State } from "../../../lib/model/state";
import { freshState } from "../../../lib/sync/act/remember";
import { knowNeighbours } from "../../../lib/sync/observe/neighbours";
import { fixture } from "../sync-fixture";

const knowing = (selectors: Record<string, string>) => {
  const states: Record<string, State> = Object.fromEntries(
    Object.entries(selectors).map(([key, selector]) => [key, { ...freshState({}, 0), version: 1, selector }]),
  );
  return knowNeighbours(states, new Set(Object.keys(selectors)));
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

test("looks only at the selectors that may match these pods", () => {
  const neighbours = knowing({
    "shop/a": "app=a",
    "shop/b": "team=x",
    "shop/c": "team=x,app=c",
    "shop/d": "!legacy",
    "else/e": "app=a",
  });
  const names = (labels: Record<string, string>) => neighbours.of("shop/a", [pod(labels)]).map(({ name }) => name);
  expect(names({ app: "a" })).toEqual(["d"]);
  expect(names({ app: "a", team: "x" })).toEqual(["d", "b"]);
  expect(neighbours.of("shop/a", [])).toEqual([expect.objectContaining({ name: "d" })]);
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
