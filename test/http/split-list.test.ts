import fc from "fast-check";
import { splitList } from "../../lib/http/split-list";

/** Reads a text in pieces of these lengths (repeated), as the transport does. */
function read(text: string, lengths: readonly number[] = [text.length || 1]) {
  const objects: unknown[] = [];
  const list = splitList(
    (item) => objects.push(item),
    () => undefined,
  );
  const bytes = Buffer.from(text);
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const length = lengths[index % lengths.length] ?? 1;
    list.write(bytes.subarray(at, at + length));
    at += length;
  }
  return { objects, rest: list.rest().toString() };
}

const isObject = (item: unknown) => typeof item === "object" && item !== null && !Array.isArray(item);

test("any document, in any pieces: its objects, and the rest with {} in their places", () => {
  const items = fc.array(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())));
  const document = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), items);
  const spacing = fc.constantFrom("", " ", "\n\t ");
  const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(document, spacing, lengths, ([members, listed], space, pieces) => {
      const whole = { ...members, items: listed, last: members };
      const { objects, rest } = read(JSON.stringify(whole, undefined, space), pieces);
      expect(objects).toEqual(JSON.parse(JSON.stringify(listed.filter(isObject))));
      const left = JSON.parse(rest) as { items: unknown[] };
      expect(left).toEqual(
        JSON.parse(JSON.stringify({ ...whole, items: listed.map((item) => (isObject(item) ? {} : item)) })),
      );
    }),
  );
});

test("any text that is no JSON is refused, in the item or in the rest", () => {
  const broken = fc.tuple(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.nat(),
    fc.constantFrom("", "}", "]", ",", '"'),
  );
  fc.assert(
    fc.property(broken, ([item, at, put]) => {
      const text = JSON.stringify({ kind: "L", items: [item, { a: 1 }] });
      const place = at % text.length;
      const other = text.slice(0, place) + put + text.slice(place + 1);
      const isJson = (() => {
        try {
          JSON.parse(other);
          return true;
        } catch {
          return false;
        }
      })();
      const accepted = (() => {
        try {
          JSON.parse(read(other).rest);
          return true;
        } catch {
          return false;
        }
      })();
      expect(accepted).toBe(isJson);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["a list within another member", '{"spec":{"items":[{"a":1}]},"items":[{"b":1}]}', [{ b: 1 }]],
  ["a list under another key", '{"others":[{"a":1}],"items":[{"b":1}]}', [{ b: 1 }]],
  ["a key that ends like it", '{"a\\",\\"items":[{"a":1}]}', []],
  ["braces and quotes in text", '{"items":[{"a":"}]\\"{"},{"b":"\\\\"}]}', [{ a: '}]"{' }, { b: "\\" }]],
  ["a list that is a list", '[{"items":[{"a":1}]}]', []],
  ["what is no object", '{"items":[null,1,"{}",[{"a":1}],{"b":1}]}', [{ b: 1 }]],
  ["an end within an item", '{"items":[{"a":1},{"b":', [{ a: 1 }]],
  ["characters of several bytes", '{"items":[{"ü€😀":"ü€😀"}]}', [{ "ü€😀": "ü€😀" }]],
])("%s", (_name, text, expected) => {
  expect(read(text).objects).toEqual(expected);
  expect(read(text, [1]).objects).toEqual(expected);
});

test("an item that is larger than any object ends the list", () => {
  expect(() => read(`{"items":[{"a":"${"x".repeat(3 * 1024 * 1024)}"}]}`, [65_536])).toThrow(RangeError);
});

describe("managed fields, which nobody reads, are left out", () => {
  const managed = [{ manager: "kubelet", fieldsV1: { 'f:a"]': {}, "f:\\": [[]] } }];
  const list = (metadata: object, more: object = {}) => JSON.stringify({ items: [{ metadata, ...more }, { b: 1 }] });

  test.each([
    ["at the end", { name: "a", managedFields: managed }, {}, { name: "a", managedFields: [] }],
    ["in between", { managedFields: managed, name: "a" }, {}, { managedFields: [], name: "a" }],
    ["none", { name: "a" }, {}, { name: "a" }],
    ["an empty list", { managedFields: [] }, {}, { managedFields: [] }],
    ["what is no list", { managedFields: { a: [1] } }, {}, { managedFields: { a: [1] } }],
    ["of an object within", { owner: { managedFields: [1] } }, {}, { owner: { managedFields: [1] } }],
    ["a text that looks like them", { a: '"managedFields":[' }, {}, { a: '"managedFields":[' }],
    ["a key that ends like them", { 'x"managedFields': [1] }, {}, { 'x"managedFields': [1] }],
  ])("%s", (_what, metadata, more, kept) => {
    const text = list(metadata, more);
    expect(read(text).objects).toEqual([{ metadata: kept, ...more }, { b: 1 }]);
    for (const lengths of [[1], [7], [13, 2], [64]]) {
      const { objects, rest } = read(text, lengths);
      const [first, second] = objects as [{ metadata: object }, unknown];
      // In pieces, they may be there as well.
      expect({ ...first.metadata, managedFields: undefined }).toEqual({ ...kept, managedFields: undefined });
      expect(second).toEqual({ b: 1 });
      expect(rest).toBe('{"items":[{},{}]}');
    }
  });

  test("beside something else, the rest is as it was", () => {
    const text = list({ name: "a", managedFields: managed }, { spec: { managedFields: 1 }, status: { list: [[{}]] } });
    expect(read(text).objects).toEqual([
      { metadata: { name: "a", managedFields: [] }, spec: { managedFields: 1 }, status: { list: [[{}]] } },
      { b: 1 },
    ]);
  });

  test("an end within them is no JSON", () => {
    const text = list({ managedFields: managed });
    const { objects, rest } = read(text.slice(0, text.indexOf("kubelet")));
    expect(objects).toEqual([]);
    expect(() => JSON.parse(rest) as unknown).toThrow(SyntaxError);
  });
});
