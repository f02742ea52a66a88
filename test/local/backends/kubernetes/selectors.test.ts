import { parseLabelSelector } from "../../../../local/backends/kubernetes/resources/selectors";
import { StatusError } from "../../../../local/backends/kubernetes/resources/status";

test.each([
  ["size>4", { size: "5" }, true],
  ["size>4", { size: "4" }, false],
  ["size<4", {}, false],
  ["tier in (web,api),!canary", { tier: "api" }, true],
  ["tier in (web,api),!canary", { tier: "api", canary: "" }, false],
  ["tier!=web", undefined, true],
  ["", undefined, true],
])("labels are matched as by the real server: %s", (text, labels, expected) => {
  expect(parseLabelSelector(text)(labels as Readonly<Record<string, string>> | undefined)).toBe(expected);
});

test("an unreadable selector is a 400 in the server's words", () => {
  const read = () => parseLabelSelector("a b");
  expect(read).toThrow(StatusError);
  expect(read).toThrow("unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
});
