import { fillIn, fillInAll, templateOf } from "../../../lib/sources/network/template";

const fill = (template: string, values: Readonly<Record<string, string>> = {}) =>
  fillIn(template, { parameter: "query", values, encode: (value) => `<${value}>` });

test.each([
  ["a ${x} b", "a <1> b"],
  ['label_replace(up, "a", "$${1}", "b", "(.*)") ${x}', 'label_replace(up, "a", "${1}", "b", "(.*)") <1>'],
  ["$${x} ${x}", "${x} <1>"],
  ["$$${x}${x}", "$${x}<1>"],
  ["$1 $ $$ ${x}", "$1 $ $$ <1>"],
])("%s becomes %s", (template, expected) => {
  expect(fill(template, { x: "1" })).toBe(expected);
});

test.each(["${1}", "$1", "$${1}", "$$${a}$$", "${", "$", "${${a}}", "a"])("%s has a template", (text) => {
  expect(fill(templateOf(text))).toBe(text);
  expect(fillInAll({ key: templateOf(text) }, {})).toEqual({ key: text });
});

test("a placeholder without a value is refused, and how to write the text itself is said", () => {
  expect(() => fill("${1}")).toThrow(
    "parameter query: expected a value for ${1}: set the label var.1, or write $${1} for the text itself",
  );
  expect(() => fill("$${x}", { x: "1" })).toThrow("a placeholder ${x} in query");
  expect(() => fillInAll({ key: "$${x}" }, { x: "1" })).toThrow("a placeholder ${x} in key");
});
