import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(__dirname, "../../docs/decisions");
const records = readdirSync(folder).filter((file) => file !== "README.md");

test("the index lists every record once, by its number and title", () => {
  const rows = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/^- \[(\d{4}): (.+)\]\((.+)\)$/gm)];
  const titleOf = (file: string) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n", 1)[0]
      ?.replace(/^# (\d+: )?/, "");
  expect(rows.map(([, number, title, file]) => [number, title, file])).toEqual(
    records.map((file) => [file.slice(0, 4), titleOf(file), file]),
  );
});

test("a number is used once", () => {
  const numbers = records.map((file) => file.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
});

test.each(records)("%s has its four parts, in their order", (file) => {
  const parts = [
    ...readFileSync(join(folder, file), "utf8").matchAll(/^\*\*(Context|Choice|Rejected|Consequence)\b/gm),
  ];
  expect(parts.map(([, part]) => part)).toEqual(["Context", "Choice", "Rejected", "Consequence"]);
});
