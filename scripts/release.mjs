// Prepares a release: `npm run release -- 0.3.0` changes the files, and prints the commands that publish it.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** The lines that carry the version, beside those of package.json, package-lock.json and CHANGELOG.md. */
const mentions = ["docs/deploy.md", "docs/development.md"];

/** @throws Error saying what has to be done first */
export function release({ version, today, isClean }) {
  const manifest = readFileSync("package.json", "utf8");
  const { version: before } = JSON.parse(manifest);
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`expected a version such as 0.3.0, got ${version ?? "nothing"}: npm run release -- 0.3.0`);
  if (!isHigher(version, before))
    throw new Error(`expected a version above ${before}, which package.json has, got ${version}`);
  if (!isClean) throw new Error("expected a clean working tree, got changes: commit or stash them first");

  const changelog = cutUnreleased(readFileSync("CHANGELOG.md", "utf8"), version, today);
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  lock.version = version;
  lock.packages[""].version = version;
  const files = {
    "CHANGELOG.md": changelog,
    "package.json": manifest.replace(`"version": "${before}"`, `"version": "${version}"`),
    "package-lock.json": `${JSON.stringify(lock, null, 2)}\n`,
    ...Object.fromEntries(
      mentions.map((file) => [file, readFileSync(file, "utf8").replaceAll(`ebb-${before}.tgz`, `ebb-${version}.tgz`)]),
    ),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(file, text);
  return Object.keys(files);
}

/** What is under "Unreleased" becomes the section of the version. Nothing there: nothing to release. */
function cutUnreleased(changelog, version, today) {
  const [, head, unreleased, rest] = /^([^]*?^## \[Unreleased\]\n)([^]*?)(^## \[[^]*)$/m.exec(changelog) ?? [];
  if (head === undefined) throw new Error("CHANGELOG.md: expected a section [Unreleased] above another, got none");
  if (!/^[-*] /m.test(unreleased))
    throw new Error("CHANGELOG.md: expected a line in the section [Unreleased], got none: say what users notice");
  return `${head}\n## [${version}] - ${today}\n\n${unreleased.trim()}\n\n${rest}`;
}

function isHigher(version, before) {
  const [a, b] = [version, before].map((one) => one.split(/[.-]/).map(Number));
  const differing = [0, 1, 2].find((index) => a[index] !== b[index]);
  return differing !== undefined && a[differing] > b[differing];
}

function isClean() {
  const { status, stdout, stderr } = spawnSync("git", ["status", "--porcelain"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`git status: ${stderr.trim()}`);
  return stdout === "";
}

/** What is left to do, in the order in which it is typed. */
const nextSteps = (version, files) => `Changed: ${files.join(" ")}. Look at them with git diff, then:

  npm run docs
  git commit -am "chore(release): ${version}"
  git tag -a v${version} -m "ebb ${version}"
  npm pack
  npm run -s krew -- ebb-${version}.tgz https://ADDRESS/ebb-${version}.tgz > ebb.yaml
  git push origin HEAD v${version}
`;

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [version, ...more] = process.argv.slice(2);
  try {
    if (more.length > 0) throw new Error(`expected one version, got ${[version, ...more].join(" ")}`);
    const files = release({ version, today: new Date().toISOString().slice(0, 10), isClean: isClean() });
    process.stdout.write(nextSteps(version, files));
  } catch (error) {
    console.error(`release: ${error.message}`);
    process.exit(1);
  }
}
