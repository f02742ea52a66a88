import { readFileSync } from "node:fs";
import { verbsOf } from "../../local/kubernetes/http/methods";
import { servedGroups } from "../../local/kubernetes/http/discovery";
import { builtIn, groupVersion } from "../../local/kubernetes/resources/kinds";
import { actions } from "../../local/sqs/actions";
import { operations } from "../../local/table/operations/operations";

const page = readFileSync("docs/local-backends.md", "utf8");

/** The cells of the first table below a heading, without its head. */
function tableBelow(heading: string): string[][] {
  const lines = page.slice(page.indexOf(`\n## ${heading}\n`)).split("\n");
  const first = lines.findIndex((line) => line.startsWith("|"));
  const end = lines.findIndex((line, index) => index > first && !line.startsWith("|"));
  return lines.slice(first + 2, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("the page has the kinds, verbs and subresources that the embedded API server has, and no others", () => {
  const served = builtIn.map((resource) => [
    resource.kind,
    groupVersion(resource),
    verbsOf(resource).join(", "),
    [...(resource.scale ? ["scale"] : []), ...(resource.hasStatus ? ["status"] : [])].join(", "),
  ]);
  expect(tableBelow("Kubernetes")).toEqual(served);
});

test("discovery says the same", () => {
  const discovered = servedGroups(builtIn).flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
  for (const resource of builtIn) {
    const found = discovered.find(({ name, kind }) => name === resource.plural && kind === resource.kind);
    expect(found?.verbs).toEqual(verbsOf(resource));
  }
});

test.each([
  ["SQS", actions],
  ["DynamoDB", operations],
])("the page lists the operations that %s has here, and no others", (heading, known) => {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("- "));
  const listed = lines.flatMap((line) => line.replace(/:.*/, "").match(/(?<=`)\w+(?=`)/g) ?? []);
  expect([...listed].sort()).toEqual(Object.keys(known).sort());
});
