import { itemFormat, unknownFormat } from "../../../lib/table/items/attributes";

test.each([undefined, itemFormat])("format %p is one that this version knows", (format) => {
  expect(unknownFormat(format)).toBeUndefined();
});

test.each([0, -1, 1.5, "1", null, {}, NaN])("format %p is none", (format) => {
  const broken = expect.stringMatching(/^format: expected a whole number, 1 or more, got /) as string;
  expect(unknownFormat(format)).toEqual({ broken });
});

test("a newer version's format is not a fault of the item", () => {
  expect(unknownFormat(itemFormat + 1)).toEqual({
    broken: `format: expected at most 1, got 2: a newer version of ebb wrote the item; deploy that version again`,
    isNewer: true,
  });
});
