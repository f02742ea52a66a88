import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed } from "../e2e/servers/installed";
import { readYaml } from "../infra/read-template";
import { everyParam, folderOf, type Template, templateOf, variantNames } from "./variants";

/** cfn-lint: CloudFormation's own schemas of each region. */
interface Finding {
  readonly Rule: { readonly Id: string };
  readonly Message: string;
  readonly Filename: string;
}

function lint(files: readonly string[]): readonly string[] {
  const args = ["--format", "json", "--non-zero-exit-code", "warning", "--regions", "ALL_REGIONS", "--", ...files];
  const { stdout, stderr, error } = spawnSync(installed().cfnLint, args, { encoding: "utf8" });
  if (error !== undefined || stderr !== "") throw new Error(`cfn-lint: ${stderr}`, { cause: error });
  const findings = JSON.parse(stdout) as readonly Finding[];
  return findings.map(({ Rule, Message, Filename }) => `${Filename}: ${Rule.Id} ${Message}`);
}

/** Some regions have none: docs/history.md says so. */
const noFunctionUrls = /E3006 Resource type 'AWS::Lambda::Url' does not exist in/;

test("every template of every stage is valid in every region, but for the URL of metrics", () => {
  const files = variantNames.flatMap((name) =>
    readdirSync(folderOf(name))
      .filter((file) => /^cloudformation-template-.*\.json$/.test(file))
      .map((file) => join(folderOf(name), file)),
  );
  expect(files).toHaveLength(2 * variantNames.length);
  expect(lint(files).filter((found) => !noFunctionUrls.test(found))).toEqual([]);
});

test("a wrong runtime, value and property would be found", () => {
  const { Resources, ...template } = templateOf("dev");
  const { TickLambdaFunction: tick, SlotQueue: queue, Table: table } = Resources;
  const changed: Template["Resources"] = {
    TickLambdaFunction: { ...tick, Type: tick?.Type ?? "", Properties: { ...tick?.Properties, Runtime: "nodejs99.x" } },
    SlotQueue: { Type: queue?.Type ?? "", Properties: { ...queue?.Properties, VisibilityTimeout: 50_000 } },
    Table: { Type: table?.Type ?? "", Properties: { ...table?.Properties, Billing: "none" } },
  };
  const folder = mkdtempSync(join(tmpdir(), "ebb-template-"));
  try {
    const file = join(folder, "template.json");
    writeFileSync(file, JSON.stringify({ ...template, Resources: { ...Resources, ...changed } }));
    const found = lint([file]).join("\n");
    for (const wrong of ["nodejs99.x", "50000", "Billing"]) expect(found).toContain(wrong);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the variant with everything sets every param that is empty by default", () => {
  const { params } = readYaml<{ readonly params: { readonly default: Readonly<Record<string, unknown>> } }>(
    "serverless.yml",
  );
  const empty = Object.keys(params.default).filter((name) => params.default[name] === "");
  expect(Object.keys(everyParam)).toEqual(expect.arrayContaining(empty));
});
