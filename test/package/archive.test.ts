import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import manifest from "../../package.json";

/** What `npm pack` archives, from the dist/ that `npm ci` built. */
const root = join(__dirname, "../..");
const megabyte = 1e6;

interface Archive {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let archive: Archive;
let paths: readonly string[];

beforeAll(() => {
  const printed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  [archive] = JSON.parse(printed) as [Archive];
  paths = archive.files.map(({ path }) => path);
}, 60_000);

test("holds what users run and read: no sources, no tests, no tools", () => {
  const expected =
    /^(dist|docs|examples|infra)\/|^(CHANGELOG|README|SECURITY)\.md$|^LICENSE$|^(package\.json|serverless\.yml)$/;
  expect(paths.filter((path) => !expected.test(path))).toEqual([]);
  const own = /\.(ts|mjs|map|tgz)$|\.test\.|^dist\/(bench|how-to|meta)/;
  expect(paths.filter((path) => own.test(path) && !path.startsWith("examples/"))).toEqual([]);
});

test("is small", () => {
  expect(archive.size).toBeLessThan(6.3 * megabyte);
  expect(archive.unpackedSize).toBeLessThan(22 * megabyte);
});

test("needs nothing else: no dependencies, and no script runs when it is installed", () => {
  expect(Object.keys(manifest)).not.toContain("dependencies");
  expect(Object.keys(manifest.scripts)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(pre|post)?install$/)]),
  );
});

test("holds the command, what it loads late, and its native parts for each platform", () => {
  expect(paths).toEqual(expect.arrayContaining([...new Set(Object.values(manifest.bin))]));
  const late = ["aws-sdk", "embedded-table", "kubeconfig-auth", "port-forward", "run-start"].map(
    (name) => `dist/${name}.js`,
  );
  expect(paths).toEqual(expect.arrayContaining(late));
  for (const platform of ["darwin-x64+arm64", "linux-arm64", "linux-x64", "win32-x64"])
    expect(paths).toContainEqual(expect.stringContaining(`dist/prebuilds/${platform}/`));
});

test.each<[string, string, readonly string[]]>([
  ["client-node", "@kubernetes/client-node/", ["kubeconfig-auth.js", "run-start.js"]],
  ["the AWS SDK", "node_modules/@aws-sdk/client-", ["aws-sdk.js"]],
  ["the embedded table", "node_modules/dynalite/", ["embedded-table.js", "run-start.js"]],
  ["LevelDB", "node_modules/classic-level/", ["embedded-table.js", "run-start.js"]],
  ["certificates", "node_modules/@peculiar/x509/", ["run-start.js"]],
  ["the embedded Kubernetes", "// local/backends/kubernetes/cluster.ts", ["run-start.js"]],
])("%s is not in the file that every start reads", (_, text, mayHold) => {
  const holds = (file: string) => readFileSync(join(root, "dist", file), "utf8").includes(text);
  const found = ["aws-sdk.js", "ebb.js", "embedded-table.js", "kubeconfig-auth.js", "run-start.js"].filter(holds);
  expect(found).not.toEqual([]);
  expect(mayHold).toEqual(expect.arrayContaining(found));
});

test("holds the bill of materials and the notices of the same packages", () => {
  expect(paths).toEqual(expect.arrayContaining(["dist/sbom.cdx.json", "dist/THIRD-PARTY-LICENSES.txt"]));
  const { components } = JSON.parse(readFileSync(join(root, "dist/sbom.cdx.json"), "utf8")) as {
    readonly components: readonly { readonly group?: string; readonly name: string; readonly version: string }[];
  };
  const listed = components.map(({ group, name, version }) => `${group ? `${group}/` : ""}${name} ${version}`);
  const notices = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8").split(`\n${"-".repeat(100)}\n\n`);
  expect(listed.sort()).toEqual(notices.map((section) => section.slice(0, section.indexOf(":"))).sort());
  expect(listed.length).toBeGreaterThan(50);
});

test("holds every file that the stack names", () => {
  const stack = readFileSync(join(root, "serverless.yml"), "utf8");
  const named = [...stack.matchAll(/(?:file\(|- )((?:infra|dist)\/[\w./*-]+)/g)].map(([, path = ""]) => path);
  expect(named).toEqual(expect.arrayContaining(["infra/schedule.yml", "dist/functions/tick.js"]));
  const [before = "", after = ""] = named.find((path) => path.includes("*"))?.split("*") ?? [];
  expect(paths.filter((path) => path.startsWith(before) && path.endsWith(after))).not.toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(named.filter((path) => !path.includes("*"))));
});

test("holds every file that the command loads late", () => {
  const text = readFileSync(join(root, "dist/ebb.js"), "utf8");
  const late = [...text.matchAll(/require\("\.\/([\w-]+\.js)"\)/g)].map(([, name = ""]) => `dist/${name}`);
  expect(late).toContain("dist/run-start.js");
  expect(paths).toEqual(expect.arrayContaining(late));
});

test("every file that a page links to is there, but for pictures, and recordings that the tests alone use", () => {
  const pages = paths.filter((path) => path.endsWith(".md"));
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, link = ""]) => posix.join(dirname(page), link))
      .filter(
        (target) =>
          !/^(test\/vectors|docs\/pictures)\//.test(target) &&
          !paths.some((path) => path === target || path.startsWith(`${target.replace(/\/$/, "")}/`)),
      )
      .map((target) => `${page} → ${target}`),
  );
  expect(missing).toEqual([]);
});

test("names the licence of every package in the bundles, and each lets everybody copy it", () => {
  const file = join(root, "dist/THIRD-PARTY-LICENSES.txt");
  expect(existsSync(file)).toBe(true);
  const sections = readFileSync(file, "utf8").split(`\n${"-".repeat(100)}\n\n`);
  const licences = sections.map((section) => section.split("\n", 1)[0] ?? "");
  for (const name of ["@aws-sdk/client-dynamodb", "@middy/core", "classic-level", "commander", "dynalite"])
    expect(licences).toContainEqual(expect.stringContaining(`${name} `));
  const one = "(MIT|MIT-0|ISC|0BSD|Apache-2\\.0|BSD-[23]-Clause)";
  const each = new RegExp(`: (${one}|\\(${one}( AND ${one})+\\))$`);
  expect(licences.filter((line) => !each.test(line))).toEqual([]);
});
