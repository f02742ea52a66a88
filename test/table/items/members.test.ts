import fc from "fast-check";
import { membersOf } from "../../../lib/table/items/unpack";

const read = (text: string) =>
  [...membersOf(Buffer.from(text))].map(({ name, value }) => [name, JSON.parse(value.toString())] as const);

test("any map comes back member by member, however it is spaced", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()),
      fc.constantFrom(0, 2, "\n\r\t "),
      (map, space) => {
        const text = JSON.stringify(map, null, space);
        expect(Object.fromEntries(read(text))).toEqual(JSON.parse(text));
      },
    ),
  );
});

test.each([
  ["a quote", { 'a"b': 'c"d' }],
  ["backslashes before a quote", { "a\\": '\\\\"\\', b: "\\\\" }],
  ["brackets within text", { "{": "}]", "[": ["}", "{"] }],
  ["a name that every object inherits", JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object],
])("%s ends nothing", (_what, map) => {
  expect(Object.fromEntries(read(JSON.stringify(map)))).toEqual(map);
});

test.each([
  "",
  "{",
  "[]",
  "1",
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{"a" 1}',
  "{a:1}",
  "{}x",
  '{"a":"\\"}',
  '{"a":1}}',
])("%j is no map", (text) => {
  expect(() => read(text)).toThrow(SyntaxError);
});

test("a value deeper than ours is refused, before anybody walks through it", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  expect(read(nested(64))).toHaveLength(1);
  expect(() => read(nested(65))).toThrow("at most 64 levels deep");
});

test("a value is not looked into: a reader that skips it pays nothing for what it holds", () => {
  const members = [...membersOf(Buffer.from('{"a":{"no": json, at all},"b":1}'))];
  expect(members.map(({ name }) => name)).toEqual(["a", "b"]);
});

test.each([
  ["{a:1}", "got byte 97 at 1"],
  ['{"a":1', "got its end at 6"],
  ['{"a', "got its end at 3"],
  ["{}x", "got byte 120 at 2"],
])("%j says what was found, and where", (text, expected) => {
  expect(() => read(text)).toThrow(`expected a map as JSON, at most 64 levels deep, ${expected}`);
});
