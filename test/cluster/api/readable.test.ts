import { isDuration, isInstant, isName, readLabels, readQuantities } from "../../../lib/cluster/api/readable";

const text = (length: number) => "x".repeat(length);

test.each<[unknown, boolean]>([
  ["web", true],
  [text(253), true],
  [text(254), false],
  ["", false],
  [["web"], false],
  [undefined, false],
])("%j is a name: %s", (value, expected) => {
  expect(isName(value)).toBe(expected);
});

test.each<[unknown, boolean]>([
  [{ app: "web", "a.io/b": "" }, true],
  [{ app: text(63) }, true],
  [{ app: text(64) }, false],
  [{ [text(317)]: "x" }, true],
  [{ [text(318)]: "x" }, false],
  [{ app: 1 }, false],
  [{ app: ["web"] }, false],
  [{ app: "web", other: null }, false],
  [{}, true],
  ["app=web", false],
  [["app"], false],
  [null, false],
])("%j are labels: %s", (value, expected) => {
  expect(readLabels(value)).toEqual(expected ? value : undefined);
});

test.each<[unknown, boolean]>([
  [{ cpu: "100m", memory: 5 }, true],
  [{ cpu: "100m", memory: "much" }, false],
  [{ cpu: {} }, false],
  ["100m", false],
])("%j are quantities: %s", (value, expected) => {
  expect(readQuantities(value)).toEqual(expected ? value : undefined);
});

test.each<[unknown, boolean, boolean]>([
  ["2026-11-10T12:00:00Z", true, false],
  ["30s", false, true],
  ["1m30s", false, true],
  ["", false, false],
  ["soon", false, false],
  [30, false, false],
  [["2026-11-10T12:00:00Z"], false, false],
  [["30s"], false, false],
  [null, false, false],
])("%j is an instant (%s) or a duration (%s)", (value, instant, duration) => {
  expect([isInstant(value), isDuration(value)]).toEqual([instant, duration]);
});
