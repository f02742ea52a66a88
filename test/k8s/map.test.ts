import { present } from "../../lib/k8s/map";

test("fields without a value are left out; null, false, zero and empty text are values", () => {
  const fields = { region: undefined, a: null, b: false, c: 0, d: "", account: undefined, e: { f: undefined } };
  expect(Object.entries(present(fields))).toEqual([
    ["a", null],
    ["b", false],
    ["c", 0],
    ["d", ""],
    ["e", { f: undefined }],
  ]);
  expect(present({ region: undefined })).toStrictEqual({});
});
