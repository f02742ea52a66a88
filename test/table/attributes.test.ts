import fc from "fast-check";
import { fromItem, toItem } from "../../lib/table/items/attributes";

describe("items as plain data", () => {
  test.each<[string, Parameters<typeof fromItem>[0][string], unknown]>([
    ["text", { S: "" }, ""],
    ["a number", { N: "0.1" }, 0.1],
    ["the largest exact whole number", { N: "9007199254740991" }, 9007199254740991],
    ["a whole number that no double holds", { N: "9007199254740993" }, "9007199254740993"],
    ["a number in a string is text", { S: "3" }, "3"],
    ["null", { NULL: true }, null],
    ["false", { BOOL: false }, false],
    ["a set of texts", { SS: ["a", "b"] }, ["a", "b"]],
    ["a set of numbers", { NS: ["1", "2.5"] }, [1, 2.5]],
    ["a nested list", { L: [{ M: { a: { L: [] } } }, { NULL: true }] }, [{ a: [] }, null]],
    ["bytes", { B: new Uint8Array([1]) }, new Uint8Array([1])],
  ])("%s", (_name, attribute, plain) => {
    expect(fromItem({ attribute })).toEqual({ attribute: plain });
  });

  test("a map's __proto__ is a member like any other", () => {
    const written = fromItem({ map: { M: JSON.parse('{"__proto__":{"M":{"polluted":{"BOOL":true}}}}') as never } });
    expect(Object.getPrototypeOf(written.map)).toBe(Object.prototype);
    expect(Object.keys(written.map as object)).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("plain data as items", () => {
  test("undefined members are left out", () => {
    expect(toItem({ a: undefined, b: { c: undefined } })).toEqual({ b: { M: {} } });
  });

  test.each<[string, object, string]>([
    ["NaN", { a: { b: [1, NaN] } }, "b[1]: expected text, a number, a flag, null, a list or a map, got NaN"],
    ["an infinity", { a: Infinity }, "a: expected text, a number, a flag, null, a list or a map, got Infinity"],
    ["a function", { a: () => 1 }, "a: expected text, a number, a flag, null, a list or a map, got function"],
    [
      "a hole in a list",
      { a: [undefined] },
      "a[0]: expected text, a number, a flag, null, a list or a map, got undefined",
    ],
  ])("%s has no form", (_name, document, message) => {
    expect(() => toItem(document)).toThrow(new TypeError(message));
  });

  test("any JSON comes back unchanged", () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })).filter(hasOnlyExactNumbers);
    fc.assert(
      fc.property(json, (document) => {
        expect(JSON.stringify(fromItem(toItem(document)))).toEqual(JSON.stringify(document));
      }),
    );
  });
});

function hasOnlyExactNumbers(document: unknown): boolean {
  const numbers = JSON.stringify(document).match(/-?\d[\d.]*(e[+-]?\d+)?/gi) ?? [];
  return numbers.every((text) => !Number.isInteger(Number(text)) || Number.isSafeInteger(Number(text)));
}
