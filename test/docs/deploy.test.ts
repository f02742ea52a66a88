import { readFileSync } from "node:fs";
import { readYaml } from "../infra/read-template";

const page = readFileSync("docs/deploy.md", "utf8");
/** The first cells of the tables of a section. */
const cellsOf = (heading: string) => {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`)).split("\n## ")[1] ?? "";
  return [...section.matchAll(/^\| (`.*?) *\|/gm)].flatMap(([, cell = ""]) => cell.match(/(?<=`)[\w-]+(?=`)/g) ?? []);
};

test("the page says what to do about each alarm", () => {
  const { Resources } = readYaml<{
    readonly Resources: Readonly<Record<string, { readonly Properties: { readonly AlarmName: string } }>>;
  }>("infra/alarms.yml");
  const names = Object.values(Resources).map(({ Properties }) => Properties.AlarmName.replace(/^.*\}-/, ""));
  expect(cellsOf("Alarms")).toEqual(names);
});

test("the page lists each parameter, and says its default", () => {
  const { params } = readYaml<{
    readonly params: { readonly default: Readonly<Record<string, string | number | boolean>> };
  }>("serverless.yml");
  expect(cellsOf("Stages and parameters").toSorted()).toEqual(Object.keys(params.default).toSorted());
  for (const [name, value] of Object.entries(params.default)) {
    if (typeof value !== "number") continue;
    const row = page.split("\n").find((line) => line.startsWith("| `") && line.includes(`\`${name}\``)) ?? "";
    expect([name, [...row.matchAll(/\d+/g)].some(([number]) => number === String(value))]).toEqual([name, true]);
  }
});
