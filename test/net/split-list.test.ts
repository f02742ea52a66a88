import fc from "fast-check";
import { splitList } from "../../lib/net/split-list";

/** Reads a text in pieces of these lengths (repeated), as the transport does. */
function read(text: string, lengths: readonly number[] = [text.length || 1], unread?: readonly string[]) {
  const objects: unknown[] = [];
  const list = splitList({
    onItem: (item) => objects.push(item),
    onRest: () => undefined,
    ...(unread && { unread }),
  });
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
  ["a map in place of the list", '{"items":{"a":{"b":1}}}', []],
  ["a text in place of the list, and another list", '{"items":"x","others":[{"a":1}]}', []],
  ["spaces around the colon", '{"items" : [{"b":1}]}', [{ b: 1 }]],
  ["what is no object", '{"items":[null,1,"{}",[{"a":1}],{"b":1}]}', [{ b: 1 }]],
  ["an end within an item", '{"items":[{"a":1},{"b":', [{ a: 1 }]],
  ["characters of several bytes", '{"items":[{"ü€😀":"ü€😀"}]}', [{ "ü€😀": "ü€😀" }]],
])("%s", (_name, text, expected) => {
  expect(read(text).objects).toEqual(expected);
  expect(read(text, [1]).objects).toEqual(expected);
});

test("an item that is larger than any object ends the list", () => {
  const most = 2 * 1024 * 1024;
  const list = (bytes: number) => `{"items":[{"a":"${"x".repeat(bytes - '{"a":""}'.length)}"}]}`;
  for (const pieces of [[65_536], undefined]) {
    expect(read(list(most), pieces).objects).toHaveLength(1);
    expect(() => read(list(most + 1), pieces)).toThrow(RangeError);
  }
});

describe("members that nobody reads are left out", () => {
  const unread = ["managedFields", "env"];
  const managed = [{ manager: "kubelet", fieldsV1: { 'f:a"]': {}, "f:\\": [[]] } }];
  const list = (item: object) => JSON.stringify({ items: [item, { b: 1 }] });

  test.each([
    ["a list at the end", { name: "a", managedFields: managed }, { name: "a", managedFields: [] }],
    ["a list in between", { managedFields: managed, name: "a" }, { managedFields: [], name: "a" }],
    ["none", { name: "a" }, { name: "a" }],
    ["an empty list", { managedFields: [] }, { managedFields: [] }],
    ["a map", { env: { a: [1], managedFields: managed }, name: "a" }, { env: {}, name: "a" }],
    ["several", { env: [{ a: 1 }], managedFields: managed }, { env: [], managedFields: [] }],
    ["one within another", { managedFields: { env: [1] }, name: "a" }, { managedFields: {}, name: "a" }],
    ["texts and numbers of this name", { env: "prod", managedFields: 7 }, { env: "prod", managedFields: 7 }],
    [
      "deep within",
      { a: [[{ managedFields: [1], b: { env: {} } }]] },
      { a: [[{ managedFields: [], b: { env: {} } }]] },
    ],
    ["a text that looks like them", { a: '"managedFields":[1]' }, { a: '"managedFields":[1]' }],
    ["a text and then a list", { a: ["env", [1]] }, { a: ["env", [1]] }],
    ["keys that end like them", { 'x"managedFields': [1], xenv: [1] }, { 'x"managedFields': [1], xenv: [1] }],
    ["keys that begin like them", { "managedFields ": [1], envFrom: [1] }, { "managedFields ": [1], envFrom: [1] }],
  ])("%s", (_what, item, kept) => {
    const text = list(item);
    expect(read(text, undefined, unread)).toEqual({ objects: [kept, { b: 1 }], rest: '{"items":[{},{}]}' });
    expect(read(text)).toEqual({ objects: [item, { b: 1 }], rest: '{"items":[{},{}]}' });
  });

  test("names of the same length are each left out", () => {
    const text = list({ env: [1], tag: [2], own: [3] });
    expect(read(text, undefined, ["env", "tag"]).objects).toEqual([{ env: [], tag: [], own: [3] }, { b: 1 }]);
  });

  /** Without what is below a key that is left out. */
  function without(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(without);
    if (typeof value !== "object" || value === null) return value;
    const empty = (inner: unknown) =>
      Array.isArray(inner) ? [] : typeof inner === "object" && inner !== null ? {} : inner;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, unread.includes(key) ? empty(inner) : without(inner)]),
    );
  }

  test("whatever it is and in whatever pieces: everything else is as it was", () => {
    const key = fc.oneof(fc.constantFrom(...unread), fc.string());
    const values = [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)];
    const item = fc.object({ key, values, maxDepth: 4 });
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    fc.assert(
      fc.property(item, lengths, (object, pieces) => {
        const text = list(object);
        const known = JSON.parse(JSON.stringify(object)) as unknown;
        expect(read(text, undefined, unread).objects).toEqual([without(known), { b: 1 }]);
        // Of those whose key comes in two pieces, some may be there.
        const { objects, rest } = read(text, pieces, unread);
        expect(objects.map(without)).toEqual([without(known), { b: 1 }]);
        expect(rest).toBe('{"items":[{},{}]}');
      }),
    );
  });

  test("only objects of the list are cut", () => {
    const text = '{"managedFields":[1],"items":[{"env":[1]}],"metadata":{"env":[1]}}';
    const { objects, rest } = read(text, undefined, unread);
    expect(objects).toEqual([{ env: [] }]);
    expect(rest).toBe('{"managedFields":[1],"items":[{}],"metadata":{"env":[1]}}');
  });

  test("an end within them is no JSON", () => {
    const text = list({ metadata: { managedFields: managed } });
    const { objects, rest } = read(text.slice(0, text.indexOf("kubelet")), undefined, unread);
    expect(objects).toEqual([]);
    expect(() => JSON.parse(rest) as unknown).toThrow(SyntaxError);
  });

  test("nor is one that closes as something else", () => {
    expect(() => read('{"items":[{"env":[1}}]}', undefined, unread)).toThrow(SyntaxError);
  });

  test("an escape at the end of a piece, and a piece without a byte", () => {
    const text = list({ a: 'x"y', env: ['"]'] });
    const bytes = Buffer.from(text);
    const cut = text.indexOf("\\") + 1;
    const objects: unknown[] = [];
    const split = splitList({ onItem: (item) => objects.push(item), onRest: () => undefined, unread });
    for (const piece of [bytes.subarray(0, cut), Buffer.alloc(0), bytes.subarray(cut)]) split.write(piece);
    expect(objects).toEqual([{ a: 'x"y', env: [] }, { b: 1 }]);
  });
});
