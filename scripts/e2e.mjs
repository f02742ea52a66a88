// Runs the e2e suites: `npm run test:e2e`, or some: `npm run test:e2e -- wake watch`. Three at a time, each in a
// checkout of its own, because they build dist/ and package .serverless/: two that work, and one that waits for slots.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = resolve(root, process.env.EBB_CACHE || ".cache");
/** The longest suites begin first, so that no core waits for one of them at the end. */
const longest = ["advice", "how-to", "kafka", "readme", "start-backends", "deployments", "dashboard"];
/** They take next to no processor time. */
const waiting = [
  "parity",
  "failing-hpas",
  "watch",
  "sqs-workers",
  "busy-misuse",
  "rights",
  "busy",
  "busy-rollouts",
  "wake",
  "main-job",
];

const named = process.argv.slice(2);
const suites = readdirSync(join(root, "test/e2e"))
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => file.slice(0, -".test.ts".length))
  .filter((suite) => named.length === 0 || named.includes(suite))
  .sort((a, b) => place(a) - place(b));
const unknown = named.filter((suite) => !suites.includes(suite));
if (unknown.length > 0) {
  console.error(`expected names of suites in test/e2e, such as wake, got ${unknown.join(" ")}`);
  process.exit(1);
}

function place(suite) {
  const at = longest.indexOf(suite);
  return at < 0 ? longest.length : at;
}

/** The files that Git has or would add, as they are now. Packages are shared. */
function copyCheckout(folder) {
  rmSync(folder, { recursive: true, force: true });
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout, status } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0) throw new Error("git ls-files failed: the e2e suites run in a clone of the project");
  for (const file of stdout.split("\0")) {
    if (file === "" || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}

function run(cwd, args) {
  return new Promise((done, failed) => {
    const env = { ...process.env, EBB_CACHE: cache };
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (printed += String(piece)));
    child.on("error", failed);
    child.on("close", (code) => done({ code, printed }));
  });
}

const totals = { passed: 0, failed: 0 };
const broken = [];

async function runSuites(cwd, left) {
  const { code, printed } = await run(cwd, ["scripts/build.mjs"]);
  if (code !== 0) throw new Error(`scripts/build.mjs in ${cwd}: ${printed}`);
  for (let suite = left.shift(); suite !== undefined; suite = left.shift()) {
    const startedAt = performance.now();
    const jest = ["node_modules/jest/bin/jest.js", "--config", "jest.e2e.config.mjs", "--runInBand"];
    const ended = await run(cwd, [...jest, `test/e2e/${suite}.test.ts`]);
    const counts = /^Tests: .*$/m.exec(ended.printed)?.[0] ?? "";
    for (const kind of ["passed", "failed"])
      totals[kind] += Number(new RegExp(`(\\d+) ${kind}`).exec(counts)?.[1] ?? 0);
    if (ended.code !== 0) broken.push({ suite, why: failuresIn(ended.printed) });
    console.log(ended.printed.trimEnd());
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`${ended.code === 0 ? "passed" : "FAILED"}  ${suite} (${seconds} s)\n`);
  }
}

/** What Jest says of each test that failed, cut to its first lines: other suites print after it. */
function failuresIn(printed) {
  const failures = printed.split(/^(?= {2}● )/m).filter((part) => part.startsWith("  ● "));
  return failures.map((part) => part.trimEnd().split("\n").slice(0, 12).join("\n"));
}

const left = suites.filter((suite) => !waiting.includes(suite));
const leftWaiting = suites.filter((suite) => waiting.includes(suite));
/** Who is done with its own suites takes what others have left. */
const working = { shift: () => left.shift() ?? leftWaiting.shift() };
const beside = { shift: () => leftWaiting.shift() ?? left.shift() };
const copies = ["second", "third"].map((name) => join(cache, "e2e", name));
for (const copy of copies) copyCheckout(copy);
const checkouts = [root, ...copies];
await Promise.all(checkouts.map((cwd, index) => runSuites(cwd, index === 2 ? beside : working)));
for (const { suite, why } of broken) console.log([`\nFAILED: ${suite}`, ...why].join("\n"));
const { passed, failed } = totals;
console.log(`Tests: ${failed === 0 ? "" : `${failed} failed, `}${passed} passed, ${passed + failed} total`);
process.exitCode = broken.length === 0 ? 0 : 1;
