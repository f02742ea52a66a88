import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");
const files = ["package.json", "package-lock.json", "docs/deploy.md", "docs/development.md"];

const changelog = (unreleased: string) => `# Changelog

## [Unreleased]

${unreleased}## [0.2.0] - 2026-11-22

### Added

- The first line.
`;
const entry = "### Added\n\n- An alarm.\n\n";

let folder: string;

/** A clone with the project's own files, and a version that does not change with each release. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-release-"));
  mkdirSync(join(folder, "docs"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    const own = file.endsWith(".json") ? `"version": "${version}"` : `ebb-${version}.tgz`;
    expect(text).toContain(own);
    writeFileSync(join(folder, file), text.replaceAll(own, own.replace(version, "0.2.0")));
  }
  writeFileSync(join(folder, "CHANGELOG.md"), changelog(entry));
  git("init", "--quiet");
  commit();
});

afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: readonly string[]): void {
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function commit(): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", "as it was");
}

const read = (file: string) => readFileSync(join(folder, file), "utf8");
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, "scripts/release.mjs"), ...args], { cwd: folder, encoding: "utf8" });

test("everything that carries the version gets the new one, and the next commands are printed", () => {
  const { status, stdout, stderr } = run("0.3.0");
  expect([status, stderr]).toEqual([0, ""]);
  expect(JSON.parse(read("package.json"))).toMatchObject({ name: "ebb", version: "0.3.0" });
  expect(JSON.parse(read("package-lock.json"))).toMatchObject({
    version: "0.3.0",
    packages: { "": { version: "0.3.0" } },
  });
  for (const page of ["docs/deploy.md", "docs/development.md"]) {
    expect(read(page)).toContain("ebb-0.3.0.tgz");
    expect(read(page)).not.toContain("ebb-0.2.0.tgz");
  }
  const today = new Date().toISOString().slice(0, 10);
  expect(read("CHANGELOG.md")).toBe(
    changelog("").replace("## [Unreleased]\n", `## [Unreleased]\n\n## [0.3.0] - ${today}\n\n${entry.trim()}\n`),
  );
  expect(stdout).toContain('\n  git tag -a v0.3.0 -m "ebb 0.3.0"\n');
  expect(stdout).toContain("npm run -s krew -- ebb-0.3.0.tgz");
});

test("nothing else of package.json and of the lock changes", () => {
  const before = files.slice(0, 2).map(read);
  run("0.3.0");
  const restored = files.slice(0, 2).map((file, index) => {
    const own = index === 0 ? /("version": )"0\.3\.0"/ : /("name": "ebb",\n +"version": )"0\.3\.0"/g;
    return read(file).replace(own, '$1"0.2.0"');
  });
  expect(restored).toEqual(before);
});

test("the next release is above the last one", () => {
  run("0.3.0");
  writeFileSync(
    join(folder, "CHANGELOG.md"),
    read("CHANGELOG.md").replace("[Unreleased]\n", `[Unreleased]\n\n${entry}`),
  );
  commit();
  expect(run("0.3.1").status).toBe(0);
  expect(read("CHANGELOG.md").match(/^## \[.*\]/gm)).toEqual([
    "## [Unreleased]",
    "## [0.3.1]",
    "## [0.3.0]",
    "## [0.2.0]",
  ]);
});

const refusals: readonly (readonly [string, readonly string[], () => void, string])[] = [
  ["no version", [], () => undefined, "expected a version such as 0.3.0, got nothing"],
  ["a tag's name", ["v0.3.0"], () => undefined, "expected a version such as 0.3.0, got v0.3.0"],
  ["two versions", ["0.3.0", "0.4.0"], () => undefined, "expected one version, got 0.3.0 0.4.0"],
  ["the same version", ["0.2.0"], () => undefined, "expected a version above 0.2.0, which package.json has, got 0.2.0"],
  ["a lower version", ["0.1.9"], () => undefined, "expected a version above 0.2.0, which package.json has, got 0.1.9"],
  [
    "a dirty tree",
    ["0.3.0"],
    () => writeFileSync(join(folder, "new.txt"), ""),
    "expected a clean working tree, got changes: commit or stash them first",
  ],
  [
    "an empty Unreleased",
    ["0.3.0"],
    () => {
      writeFileSync(join(folder, "CHANGELOG.md"), changelog("### Added\n\n"));
      commit();
    },
    "expected a line in the section [Unreleased], got none",
  ],
  [
    "a changelog without Unreleased",
    ["0.3.0"],
    () => {
      writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## [0.2.0]\n");
      commit();
    },
    "expected a section [Unreleased]",
  ],
];

test.each(refusals)("%s is refused, and changes nothing", (_, args, given, message) => {
  given();
  const before = [...files, "CHANGELOG.md"].map(read);
  const { status, stdout, stderr } = run(...args);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^release: .*\n$/);
  expect(stderr).toContain(message);
  expect([...files, "CHANGELOG.md"].map(read)).toEqual(before);
});
