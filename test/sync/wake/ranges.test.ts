import { rangesBetween } from "../../../lib/sync/wake/search-cluster";

const range = (from: string, to: string | null) => ({ from, to });

test.each<[string, ReturnType<typeof range>[], ReturnType<typeof range>[]]>([
  ["nothing", [], [range("", null)]],
  ["the whole", [range("", null)], []],
  ["a middle", [range("b", "d")], [range("", "b"), range("d", null)]],
  ["two that touch each other", [range("", "b"), range("b", "d")], [range("d", null)]],
  ["two in reverse order", [range("d", "f"), range("", "b")], [range("b", "d"), range("f", null)]],
  ["one within another", [range("a", "f"), range("b", "c")], [range("", "a"), range("f", null)]],
  ["two that overlap", [range("", "d"), range("b", "f")], [range("f", null)]],
  ["the end, and one within it", [range("b", null), range("c", "d")], [range("", "b")]],
])("of a cluster's keys, %s leaves the others", (_what, ranges, expected) => {
  expect(rangesBetween("prod", ranges)).toEqual(expected.map((left) => ({ cluster: "prod", ...left })));
});
