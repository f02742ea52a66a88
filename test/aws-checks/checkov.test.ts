import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { installedProgram } from "../e2e/servers/installed";
import { templateFile, type VariantName } from "./variants";

/** checkov's findings in the templates are those of the table in docs/security.md, and each says why. */
interface Report {
  readonly results: {
    readonly failed_checks: readonly { readonly check_id: string; readonly resource: string }[];
  };
  readonly summary: { readonly passed: number };
}

/** "CKV_AWS_115 AWS::Lambda::Function" */
function findingsOf(variant: VariantName): readonly string[] {
  const options = ["--framework", "cloudformation", "--compact", "--quiet", "--skip-download", "--soft-fail"];
  const args = ["-m", "checkov.main", "--file", templateFile(variant), ...options, "--output", "json"];
  const { stdout, stderr, status } = spawnSync(installedProgram("scannersPython"), args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], LOG_LEVEL: "ERROR" },
  });
  if (status !== 0) throw new Error(`checkov: exit status ${status}, ${stderr}`);
  const { results, summary } = JSON.parse(stdout) as Report;
  expect(summary.passed).toBeGreaterThan(40);
  const found = results.failed_checks.map(({ check_id, resource }) => `${check_id} ${resource.split(".")[0]}`);
  return [...new Set(found)].sort();
}

/** | `CKV_AWS_115` | `AWS::Lambda::Function` | what it asks | why not, or "set `param`", or "only with `param`" | */
const page = readFileSync("docs/security.md", "utf8");
const rows = [...page.matchAll(/^\| `(CKV\w+)` +\| `([\w:]+)` +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].map(
  ([, id = "", type = "", , why = ""]) => ({
    finding: `${id} ${type}`,
    isSettled: /^set `\w+`/.test(why),
    isOptional: /^only with `\w+`/.test(why),
  }),
);
const listed = (isThere: (row: (typeof rows)[number]) => boolean) =>
  rows
    .filter(isThere)
    .map(({ finding }) => finding)
    .sort();

test("the default stack has the findings that docs/security.md lists, and no other", () => {
  expect(findingsOf("prod")).toEqual(listed(({ isOptional }) => !isOptional));
});

test("with every param, those are gone that the page says a param settles", () => {
  expect(rows.filter(({ isSettled }) => isSettled).length).toBeGreaterThan(2);
  expect(findingsOf("everything")).toEqual(listed(({ isSettled }) => !isSettled));
});
