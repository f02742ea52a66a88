import { absentField, countField, flagField, textField } from "../../../lib/sources/fields/field";
import { readParameters } from "../../../lib/sources/fields/read-fields";

const text = { expected: "a text", pattern: /^[a-z]+$/ };
const fields = {
  ...{ absent: absentField, count: countField(1, 100), flag: flagField, text: textField(text) },
  port: { type: "text", expected: "a port", pattern: /^[0-9a-z]+$/, takesNumbers: true },
  mode: { type: "choice", values: ["a", "b"], expected: "a or b" },
  period: { type: "number", minimum: 60, maximum: 300, step: 60, exceptions: [10], expected: "a period" },
  dimensions: { type: "named", prefix: "dimension.", name: text, value: text },
  map: { type: "map", name: text, value: text, expected: "names and texts" },
  items: { type: "list", of: { name: textField(text) }, required: ["name"], maxItems: 2, expected: "two at most" },
  via: { type: "object", of: { name: textField(text) }, required: ["name"], expected: "an object" },
} as const;
const read = (given: Readonly<Record<string, unknown>>) => readParameters(fields, given);

test.each<[Readonly<Record<string, unknown>>, object]>([
  [{ absent: 0 }, { absent: 0 }],
  [{ absent: "0" }, { absent: 0 }],
  [{ absent: "-12.25" }, { absent: -12.25 }],
  [{ absent: "123456789012345.123456789012345" }, { absent: Number("123456789012345.123456789012345") }],
  [{ absent: "error" }, { absent: "error" }],
  [{ count: 1 }, { count: 1 }],
  [{ count: "100" }, { count: 100 }],
  [{ flag: "true" }, { flag: true }],
  [{ flag: false }, { flag: false }],
  [{ flag: "false" }, { flag: false }],
  [{ port: 80 }, { port: "80" }],
  [{ mode: "b" }, { mode: "b" }],
  [{ period: 300 }, { period: 300 }],
  [{ period: 10 }, { period: 10 }],
  [{ "dimension.queue": "orders" }, { dimensions: { queue: "orders" } }],
  [{ map: { a: "b" } }, { map: { a: "b" } }],
  [{ items: [{ name: "a" }, { name: "b" }] }, { items: [{ name: "a" }, { name: "b" }] }],
  [{ via: { name: "a" } }, { via: { name: "a" } }],
  [{ text: null, count: undefined }, {}],
])("%j is read", (given, expected) => {
  expect(read(given)).toEqual(expected);
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ absent: "-" }, "absent: expected a number or error"],
  [{ absent: "1." }, "absent: expected a number or error"],
  [{ absent: "1e9" }, "absent: expected a number or error"],
  [{ absent: " 1" }, "absent: expected a number or error"],
  [{ absent: NaN }, "absent: expected a number or error"],
  [{ absent: ["0"] }, "absent: expected a number or error"],
  [{ absent: "1234567890123456" }, "absent: expected a number or error"],
  [{ count: 0 }, "count: expected a whole number from 1 to 100"],
  [{ count: 101 }, "count: expected a whole number from 1 to 100"],
  [{ count: 1.5 }, "count: expected a whole number from 1 to 100"],
  [{ count: "1.0" }, "count: expected a whole number from 1 to 100"],
  [{ count: ["5"] }, "count: expected a whole number from 1 to 100"],
  [{ flag: "yes" }, "flag: expected true or false"],
  [{ flag: 1 }, "flag: expected true or false"],
  [{ port: 1.5 }, "port: expected a port"],
  [{ text: 5 }, "text: expected a text"],
  [{ mode: "c" }, "mode: expected a or b"],
  [{ period: 90 }, "period: expected a period"],
  [{ period: 360 }, "period: expected a period"],
  [{ period: 0 }, "period: expected a period"],
  [{ "dimension.Q": "orders" }, "dimension.Q: expected a text"],
  [{ "dimension.q": 1 }, "dimension.q: expected a text"],
  [{ dimensions: { q: "a" } }, "dimensions: unknown field"],
  [{ dimension: "a" }, "dimension: unknown field"],
  [{ constructor: "a" }, "constructor: unknown field"],
  [{ map: "a" }, "map: expected names and texts"],
  [{ items: [{ name: "a" }, { name: "b" }, { name: "c" }] }, "items: expected two at most"],
  [{ items: { 0: { name: "a" } } }, "items: expected two at most"],
  [{ items: ["a"] }, "items[0]: expected an object"],
  [{ items: [{}] }, "items[0].name: expected a text"],
  [{ items: [{ name: "a", other: 1 }] }, "items[0].other: unknown field"],
  [{ via: "a" }, "via: expected an object"],
  [{ via: {} }, "via.name: expected a text"],
])("%j is refused", (given, expected) => {
  expect(() => read(given)).toThrow(
    expect.objectContaining({
      kind: "badEntry",
      message: expect.stringContaining(`parameter ${expected}`) as string,
    }) as Error,
  );
});
