import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Advice that is no row of the table, where ebb says what is wrong: each refused line of the fixture is found. */
const root = join(__dirname, "../..");
const text = readFileSync(join(__dirname, "fixtures/imperative.ts"), "utf8");

// ESLint's configuration is ESM, which Jest cannot load.
const script = `
  import { ESLint } from "eslint";
  import { readFileSync } from "node:fs";
  import ts from "typescript-eslint";
  const { text, folders } = JSON.parse(readFileSync(0, "utf8"));
  // These files do not exist, so no rule that needs types can run on them.
  const { rules, languageOptions } = ts.configs.disableTypeChecked;
  const eslint = new ESLint({ overrideConfig: [{ files: ["**/*.ts"], rules, languageOptions }] });
  const lines = {};
  for (const folder of folders) {
    const [{ messages }] = await eslint.lintText(text, { filePath: folder + "/a-new-file.ts" });
    const own = messages.filter(({ ruleId }) => ruleId === "no-restricted-syntax");
    lines[folder] = [...new Set(own.map(({ line }) => line))].sort((a, b) => a - b);
  }
  console.log(JSON.stringify(lines));
`;

const ruled = ["cli/understand/doctor", "cli/understand/explain", "cli/look", "cli/write", "lib/read"];
const free = ["cli/shell/advice", "cli/set-up", "lib/sources/sqs"];

test("an order to the reader, and a command to type, are refused outside of the table", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    input: JSON.stringify({ text, folders: [...ruled, ...free] }),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const refused = text.split("\n").flatMap((line, index) => (line.endsWith("// refused") ? [index + 1] : []));
  expect(refused.length).toBeGreaterThan(9);
  const expected = [...ruled.map((folder) => [folder, refused]), ...free.map((folder) => [folder, []])];
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(expected));
});
