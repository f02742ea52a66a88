import { readFileSync } from "node:fs";
import { verbsOf } from "../../local/backends/kubernetes/http/requests";
import { servedGroups } from "../../local/backends/kubernetes/http/discovery";
import { builtIn } from "../../local/backends/kubernetes/resources/kinds";
import { actions } from "../../local/backends/sqs/actions";
import { operations } from "../../local/backends/table/operations";

const page = readFileSync("docs/local-backends.md", "utf8");

test("the page names the kinds that the embedded API server has, and no others", () => {
  const [, named = ""] = /lists its kinds: ([^]*?), with Kubernetes' verbs/.exec(page) ?? [];
  expect(named.split(/, | and /)).toEqual(builtIn.map(({ kind }) => kind));
});

test("discovery has the verbs that are served", () => {
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
