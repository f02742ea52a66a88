import fc from "fast-check";
import { formatTable } from "../../../cli/shell/print/get-row";
import { alignFor, cutCell, cutText, textWidth, wrapText } from "../../../cli/shell/print/fit-columns";

const on = (columns: number, header?: readonly string[]) => alignFor({ columns }, header);

describe("a table on a terminal", () => {
  const header = ["NAMESPACE", "NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"];
  const row = ["shop", "orders-worker", "Deployment/orders-worker", "<unknown>/30 (avg)", "0", "20", "4", "12d"];

  test("that fits is as kubectl has it", () => {
    expect(formatTable(header, [row], on(120))).toBe(formatTable(header, [row]));
  });

  test("that is too wide loses the kind of a reference and the end of a value, never a name or a number", () => {
    expect(formatTable(header, [row], on(80)).split("\n")).toEqual([
      "NAMESPACE NAME          REFERENCE TARGETS      MINPODS MAXPODS REPLICAS AGE",
      "shop      orders-worker …/orders… <unknown>/3… 0       20      4        12d",
      "",
    ]);
  });

  test("without its header is cut as with it", () => {
    expect(formatTable(undefined, [row], on(60, header))).toBe(
      "shop  orders-worker  …/orders…  <unknown>/30…  0  20  4  12d\n",
    );
  });

  test("keeps its rows one line each on a terminal that is too narrow for all columns", () => {
    expect(formatTable(header, [row], on(30)).split("\n")).toEqual([
      "NAMESPACE NAME   REFERENCE TA…",
      "shop      order… …/orders… <u…",
      "",
    ]);
  });

  test("counts wide characters as two columns, and combining ones as none", () => {
    const rows = [
      ["東京-worker", "a"],
      ["e\u0301te\u0301", "b"],
      ["👩‍👩‍👧", "c"],
    ];
    const lines = formatTable(["NAME", "MESSAGE"], rows, on(40)).trimEnd().split("\n");
    expect(lines.map((line) => textWidth(line) - (line.endsWith("MESSAGE") ? 7 : 1))).toEqual([14, 14, 14, 14]);
  });

  test("is never wider, on any terminal", () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.constantFrom(
        "Deployment/orders",
        "horizontalpodautoscaler/a-long-name-of-an-hpa",
        "",
        "12d",
        "漢字".repeat(30),
      ),
    );
    const table = fc.integer({ min: 1, max: 9 }).chain((count) =>
      fc.record({
        header: fc.array(fc.constantFrom("NAME", "MESSAGE", "OBJECT", "AGE", "LAST SEEN", "X"), {
          minLength: count,
          maxLength: count,
        }),
        rows: fc.array(fc.array(cell, { minLength: count, maxLength: count }), { maxLength: 6 }),
        columns: fc.integer({ min: 1, max: 200 }),
      }),
    );
    fc.assert(
      fc.property(table, ({ header, rows, columns }) => {
        const lines = formatTable(header, rows, on(columns, header)).split("\n");
        expect(lines).toHaveLength(rows.length + 2);
        for (const line of lines) expect(textWidth(line.trimEnd())).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

test.each([
  ["Deployment/orders", 20, "Deployment/orders"],
  ["Deployment/orders", 12, "Depl…/orders"],
  ["Deployment/orders", 8, "…/orders"],
  ["Deployment/orders", 7, "…/orde…"],
  ["Deployment/orders", 4, "Dep…"],
  ["4/10, cpu: 10%/50%", 8, "4/10, c…"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日…"],
  ["abc", 1, "…"],
  ["abc", 0, ""],
])("%s in %d columns is %s", (cell, width, expected) => {
  expect(cutCell(cell, width)).toBe(expected);
});

test("a text that is cut does not end in a space", () => {
  expect(cutText("one two", 5)).toBe("one…");
});

test("a text breaks at spaces, and a word that is too long is cut", () => {
  expect(wrapText("one two three four-and-a-half", 9)).toEqual(["one two", "three", "four-and…"]);
});
