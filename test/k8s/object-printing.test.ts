import fc from "fast-check";
import { readDocuments } from "../../cli/shell/input/read-documents";
import { toJson } from "../../cli/shell/print/to-json";
import { toYaml } from "../../cli/shell/print/to-yaml";
import { readVectors } from "../core/vectors";

interface Vector {
  /** The value as JSON text; JSON.parse's result is printed. */
  readonly json: string;
  readonly yaml: string;
}

test("every recorded value is the YAML that Go makes of it", () => {
  const vectors = readVectors<Vector>("yaml");
  expect(vectors.map(({ json }) => toYaml(JSON.parse(json) as object))).toEqual(vectors.map(({ yaml }) => yaml));
  expect(vectors).toHaveLength(724);
});

const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: fc.constantFrom(..."ab10:-_.#'\"\n \\e~") }));
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => number + 0), // no -0, which JSON has not
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
})).value;

test("printed YAML reads back as the same value", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(toJson({ value }))).toEqual({ value });
      expect(readDocuments(toYaml({ value }))).toMatchObject([{ value: { value } }]);
    }),
  );
});

test("JSON has four spaces and Go's order and escapes", () => {
  const value = { b: [1, { x: "<&>" }], a: {}, "10": null, "9": [], "\u{10000}": 1, "\uffff": 2, ab: undefined };
  expect(toJson(value)).toBe(
    `{
    "10": null,
    "9": [],
    "a": {},
    "b": [
        1,
        {
            "x": "\\u003c\\u0026\\u003e"
        }
    ],
    "\uffff": 2,
    "\u{10000}": 1
}
`,
  );
});

test("YAML leaves out undefined values, and repeats values that occur twice", () => {
  const shared = { app: "web" };
  expect(toYaml({ b: shared, a: shared, c: undefined })).toBe("a:\n  app: web\nb:\n  app: web\n");
});
