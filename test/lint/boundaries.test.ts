import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The rules of eslint.config.mjs, proved to bite. ESLint's configuration is ESM, which Jest cannot load, so it runs in
 * a node of its own, once for all cases.
 */
const root = join(__dirname, "../..");
const script = `
  import { ESLint } from "eslint";
  import { readFileSync } from "node:fs";
  import ts from "typescript-eslint";
  const { untyped, typed } = JSON.parse(readFileSync(0, "utf8"));
  // The files of these cases do not exist, so no rule that needs types can run on them.
  const { rules, languageOptions } = ts.configs.disableTypeChecked;
  const eslint = new ESLint({ overrideConfig: [{ files: ["**/*.ts", "**/*.tsx"], rules, languageOptions }] });
  const ids = (results) => results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => (ruleId ?? "fatal") + ": " + message));
  const answers = {};
  for (const [filePath, code] of untyped) answers[filePath + code] = ids(await eslint.lintText(code, { filePath }));
  const real = new ESLint({ ignore: false });
  for (const filePath of typed) answers[filePath] = ids(await real.lintFiles([filePath]));
  console.log(JSON.stringify(answers));
`;

const adapter = ["k8s", "model", "async", "aws"];
const allowed: Readonly<Record<string, readonly string[]>> = {
  k8s: [],
  model: ["k8s"],
  core: ["k8s", "model"],
  async: ["k8s", "model"],
  net: ["k8s", "model", "async"],
  aws: ["k8s", "model", "async"],
  readings: ["k8s", "model", "core", "async"],
  scheduler: ["k8s", "model", "async"],
  poller: ["k8s", "model", "core", "async", "readings", "scheduler"],
  sync: ["k8s", "model", "core", "async", "readings", "scheduler"],
  secrets: [...adapter, "net"],
  cluster: [...adapter, "net", "secrets"],
  sources: [...adapter, "net", "secrets"],
  table: adapter,
  read: ["k8s", "model", "core", "async", "table"],
};

/** One existing file of each folder: the rule ignores an import that does not resolve. */
function someFile(folder: string): string | undefined {
  const file = readdirSync(join(root, folder), { recursive: true }).find((name) => String(name).endsWith(".ts"));
  return file?.toString().replace(/\.ts$/, "");
}

const folders = [...Object.keys(allowed).map((name) => `lib/${name}`), "functions", "cli"];
const imports = Object.entries(allowed).flatMap(([from, to]) =>
  folders
    .filter((folder) => folder !== `lib/${from}`)
    .map((folder) => ({
      from,
      folder,
      filePath: `lib/${from}/a-new-file.ts`,
      code: `export * from "../../${folder}/${someFile(folder)}";\n`,
      forbidden: !to.some((name) => folder === `lib/${name}`),
    })),
);

const impure = [
  ["node:fs", 'export { readFileSync } from "node:fs";\n', "no-restricted-imports"],
  ["an AWS client", 'export { SQSClient } from "@aws-sdk/client-sqs";\n', "no-restricted-imports"],
  ["the environment", "export const table = process.env;\n", "no-restricted-globals"],
  ["the clock", "export const at = Date.now();\n", "no-restricted-properties"],
  ["chance", "export const dice = Math.random();\n", "no-restricted-properties"],
] as const;
const pureFile = (folder: string) => `lib/${folder}/a-new-file.ts`;

/** Who opens an adapter, and whether that is compose.ts. */
const opening = [
  ...["functions", "cli", "local"].map((folder) => [`${folder}/a-new-file.ts`, "../lib/table/store"] as const),
  ["cli/a-room/a-new-file.ts", "../../lib/cluster/clusters"],
  ["local/a-new-file.ts", "../lib/aws/slot-queue"],
  ["functions/a-new-file.ts", "../lib/sync/events/event-recorder"],
] as const;
const valueOf = (path: string) => `export * from "${path}";\n`;
const typeOf = (path: string) => `import type { A } from "${path}";\nexport type B = A;\n`;

const pageImports = [
  { file: "web/a-new-file.tsx", path: "../lib/read/page/words", may: true },
  { file: "web/a-new-file.tsx", path: "./place", may: true },
  { file: "web/a-new-file.tsx", path: "../lib/read/find", may: false },
  { file: "web/a-new-file.tsx", path: "../lib/k8s/time", may: false },
  { file: "web/a-new-file.tsx", path: "../cli/shell/session", may: false },
  { file: "lib/read/page/a-new-file.ts", path: "../../k8s/human-duration", may: true },
  { file: "lib/read/page/a-new-file.ts", path: "../../model/hpa-states", may: true },
  { file: "lib/read/page/a-new-file.ts", path: "../../model/hpa-signs", may: false },
  { file: "lib/read/page/a-new-file.ts", path: "../find", may: false },
  { file: "lib/read/page/a-new-file.ts", path: "../../model/step", may: false },
  { file: "lib/read/a-new-file.ts", path: "../../web/place", may: false },
];

const fixtures = ["floating-promise", "unsafe-any", "clean"].map((name) => `test/lint/fixtures/${name}.ts`);

let answers: Record<string, readonly string[]>;
beforeAll(() => {
  const untyped = [
    ...imports.map(({ filePath, code }) => [filePath, code]),
    ...opening.flatMap(([filePath, path]) => [valueOf, typeOf].map((code) => [filePath, code(path)])),
    ["compose.ts", valueOf("./lib/table/store")],
    ["compose.ts", valueOf("./cli/shell/session")],
    ["cli/shell/a-new-file.ts", valueOf("../look/read")],
    ["cli/look/a-new-file.ts", valueOf("../shell/session")],
    ...pageImports.map(({ file, path }) => [file, valueOf(path)]),
    ...["core", "k8s", "model"].flatMap((folder) => impure.map(([, code]) => [pureFile(folder), code])),
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    input: JSON.stringify({ untyped, typed: fixtures }),
    encoding: "utf8",
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(`expected ESLint to run, got status ${status}: ${stderr}`);
  answers = JSON.parse(stdout) as typeof answers;
}, 130_000);

describe("boundaries", () => {
  test.each(pageImports)("$file imports $path: $may", ({ file, path, may }) => {
    expect(answers[file + valueOf(path)]).toHaveLength(may ? 0 : 1);
  });

  test("every folder has a file to import", () => {
    expect(folders.filter((folder) => someFile(folder) === undefined)).toEqual([]);
  });

  test.each(imports.filter(({ forbidden }) => forbidden))(
    "lib/$from may not import $folder",
    ({ filePath, code, from }) => {
      expect(answers[filePath + code]).toEqual([expect.stringContaining(`lib/${from} may import only itself`)]);
    },
  );

  test.each(imports.filter(({ forbidden }) => !forbidden))("lib/$from may import $folder", ({ filePath, code }) => {
    expect(answers[filePath + code]).toEqual([]);
  });
});

test("in the command, every room may use the shell, and the shell no room", () => {
  expect(answers[`cli/look/a-new-file.ts${valueOf("../shell/session")}`]).toEqual([]);
  expect(answers[`cli/shell/a-new-file.ts${valueOf("../look/read")}`]).toEqual([
    expect.stringContaining("cli/shell is what the other rooms use"),
  ]);
});

describe("ports meet adapters in compose.ts alone", () => {
  test.each(opening)("%s may not open %s", (filePath, path) => {
    expect(answers[filePath + valueOf(path)]).toEqual([expect.stringContaining("in compose.ts alone")]);
  });

  test.each(opening)("%s may name the types of %s", (filePath, path) => {
    expect(answers[filePath + typeOf(path)]).toEqual([]);
  });

  test("compose.ts may import lib, and none of its callers", () => {
    expect(answers[`compose.ts${valueOf("./lib/table/store")}`]).toEqual([]);
    expect(answers[`compose.ts${valueOf("./cli/shell/session")}`]).toEqual([
      expect.stringContaining("compose.ts may import only itself, lib/k8s"),
    ]);
  });
});

describe.each(["core", "k8s", "model"])("lib/%s is pure", (folder) => {
  test.each(impure)("%s is out of its reach", (_what, code, rule) => {
    expect(answers[pureFile(folder) + code]).toEqual([expect.stringMatching(new RegExp(`^${rule}: `))]);
  });
});

describe("types", () => {
  test.each([
    ["floating-promise", ["@typescript-eslint/no-floating-promises"]],
    ["unsafe-any", ["@typescript-eslint/no-unsafe-assignment", "@typescript-eslint/no-unsafe-return"]],
    ["clean", []],
  ])("%s", (name, rules) => {
    const found = answers[`test/lint/fixtures/${name}.ts`]?.map((text) => text.split(":")[0]);
    expect(found).toEqual(rules.length === 0 ? [] : expect.arrayContaining(rules));
  });
});
