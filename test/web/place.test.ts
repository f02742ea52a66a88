import fc from "fast-check";
import { hpaStates, type HpaState } from "../../lib/read/page/words";
import { addressOf, everything, placeOf, sorts } from "../../web/place";

const part = fc.string({ minLength: 1, unit: "binary" }).filter((text) => !text.includes("/"));
const hpa = fc.record({ cluster: part, namespace: part, name: part });
const choice = fc.record({
  search: fc.string(),
  states: fc.uniqueArray(fc.constantFrom(...(Object.keys(hpaStates) as HpaState[]))),
  ...{ cluster: fc.string(), namespace: fc.string(), source: fc.string() },
  sort: fc.constantFrom(...sorts),
  reversed: fc.boolean(),
});

test("an address shows again what it was made of, whatever the names are", () => {
  const place = fc.record({ choice, hpa, range: part, at: part, metric: part }, { requiredKeys: ["choice"] });
  fc.assert(
    fc.property(place, (given) => {
      expect(placeOf(addressOf(given))).toEqual(given);
    }),
  );
});

test("everything is the shortest address, and names are readable in one", () => {
  expect(addressOf({ choice: everything })).toBe("?");
  const held = { ...everything, states: ["held", "atMax"] as const };
  expect(addressOf({ choice: held, hpa: { cluster: "prod", namespace: "shop", name: "web" }, at: "03:00" })).toBe(
    "?state=held,atMax&hpa=prod/shop/web&at=03:00",
  );
});

test.each(["?state=toString,held", "?sort=worst&state=held", "?hpa=prod&state=held", "?open-source=&state=held"])(
  "what an address has too much is left out: %s",
  (query) => {
    expect(placeOf(query)).toEqual({ choice: { ...everything, states: ["held"] } });
  },
);

test.each(["HPA#/web", "HPA#a/b/c", "HPA#noslash"])("an item whose key is none has a page: %s", (name) => {
  const hpa = { cluster: "demo", namespace: name === "HPA#/web" ? "" : "a", name };
  expect(placeOf(addressOf({ choice: everything, hpa })).hpa).toEqual(hpa);
});
