import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(__dirname, "../../docs/decisions");
const records = readdirSync(folder).filter((file) => file !== "README.md");

test.each(records)("%s has its number in its title", (file) => {
  const [, number] = /^# (\d{4}): \S.+\n/.exec(readFileSync(join(folder, file), "utf8")) ?? [];
  expect(number).toBe(file.slice(0, 4));
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
