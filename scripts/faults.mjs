// Runs the simulator: `npm run test:faults`. test/faults/README.md says how to use it.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { longRun } from "./long-run.mjs";
import { findPlanted } from "./planted-bugs.mjs";
import { simulatedPlatform } from "./simulated-platform.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}.cache/faults`;

/** Shards split and merge at a few HPAs instead of hundreds; in short stories, which have few HPAs, at fewer. */
function smallShards(kind) {
  const [above, below] = ["moment", "aimed", "paired"].includes(kind) ? [2, 2] : [6, 4];
  const file = "lib/model/stored/shard-size.ts";
  return [
    { file, find: "splitAbove = 1_000", replace: `splitAbove = ${above}` },
    { file, find: "mergeBelow = 500", replace: `mergeBelow = ${below}` },
  ];
}

/** Of an HPA's open intents, one beside the latest is kept as it is: few stories have 16. */
function fewIntents(kind) {
  if (kind !== "crowded") return [];
  return [{ file: "lib/sync/scale/intents.ts", find: "mostEarlier = 15", replace: "mostEarlier = 1" }];
}

/** Half of a quiet slot's time is decoding what the slot before has decoded. */
const decodedOnce = [
  ...["hpa-items.ts decodeState", "shard-item.ts decodeShard", "resource-items.ts decodeCluster"],
  ...["resource-items.ts decodeSource", "hpa-document.ts decodeListedHpa", "hpa-document.ts decodeHpaItem"],
]
  .map((place) => place.split(" "))
  .map(([file, name]) => once(`lib/table/items/${file}`, name, "remembered"))
  .concat(once("lib/sync/hpa/read-entry.ts", "readHpaEntry", "rememberedWithKey"))
  .concat(once("lib/model/size.ts", "measure", "rememberedIfFrozen"));

function once(file, name, by) {
  const known = JSON.stringify(`${root}test/faults/world/remembered.ts`);
  const replace = `import { ${by} as ${name}Once } from ${known};
export const ${name} = ${name}Once(${name}Again);
function ${name}Again(`;
  return { file, find: `export function ${name}(`, replace };
}

/** Bundles with these changes. Each must fit: its text must be in its file exactly once. */
const changed = (changes) => ({
  name: "changes",
  setup({ onLoad, onEnd }) {
    const left = new Set(changes);
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const own = changes.filter(({ file }) => path === `${root}${file}`);
      if (own.length === 0) return undefined;
      let contents = await readFile(path, "utf8");
      for (const change of own) {
        const parts = contents.split(change.find);
        if (parts.length !== 2)
          throw new Error(`${change.file}: expected once, found ${parts.length - 1} times: ${change.find}`);
        contents = parts.join(change.replace);
        left.delete(change);
      }
      return { contents, loader: "ts" };
    });
    onEnd(() => {
      for (const { file } of left) throw new Error(`${file}: a change for it was not used`);
    });
  },
});

async function bundle(name, { kind, changes = [] } = {}) {
  const outfile = `${folder}/${name}.mjs`;
  await build({
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "bundle",
    external: ["@aws-sdk/*"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    entryPoints: [`${root}test/faults/main.ts`],
    outfile,
    logLevel: "error",
    sourcemap: "inline",
    plugins: [
      simulatedPlatform,
      changed(kind === "size" ? changes : [...smallShards(kind), ...fewIntents(kind), ...changes, ...decodedOnce]),
    ],
  });
  return outfile;
}

/** A test file, with these changes in what it tests. */
async function bundleTest(name, { test, changes }) {
  const outfile = `${folder}/${name}.cjs`;
  await build({
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    packages: "external",
    entryPoints: [`${root}${test}`],
    outfile,
    logLevel: "error",
    sourcemap: "inline",
    plugins: [changed(changes)],
  });
  return outfile;
}

/** Runs it up to its first failure. Resolves to what was printed. */
async function runTest(file) {
  return (await node(["--enable-source-maps", `${root}scripts/planted-test.mjs`, file], false)).printed;
}

/** Resolves to the exit status and what was printed. */
function run(file, args, { isShown = true } = {}) {
  // A story of sizes that needs more than the budget of its meter by far must not take the machine's memory.
  const heap = kindOf(args) === "size" ? ["--max-old-space-size=1024"] : [];
  return node([...heap, "--enable-source-maps", file, ...args], isShown);
}

function node(args, isShown) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--max-semi-space-size=64", ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      if (isShown) process.stdout.write(chunk);
      else printed += String(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, printed }));
  });
}

const kindOf = (args) => args.find((arg) => arg.startsWith("--kind="))?.slice("--kind=".length) ?? "random";

/** What is in test/faults beside the simulator. */
const inJest = [`${root}node_modules/jest/bin/jest.js`, "--config", `${root}jest.faults.config.mjs`];

/** What `npm run test:faults` runs after these, in two processes, each on a core: the longest begin first. */
const parts = [
  ["--kind=single", "--every=8"],
  ["--kind=size", "--seeds=5"],
  ["--kind=random", "--seeds=130"],
  ["--kind=watched", "--seeds=70"],
  ["--kind=periods", "--seeds=70"],
  ["--kind=mixed", "--seeds=50"],
  ["--kind=storm", "--seeds=160"],
  ["--kind=clusters", "--seeds=25"],
  ["--kind=malformed", "--seeds=25"],
  ["--kind=rules", "--seeds=60"],
  ["--kind=pods", "--seeds=25"],
  ["--kind=idle", "--seeds=40"],
  ["--kind=stale", "--seeds=25"],
  ["--kind=queues", "--seeds=40"],
  ["--kind=moment", "--seeds=150"],
  ["--kind=crowded", "--seeds=100"],
  ["--kind=upgrade", "--seeds=25"],
  ["--kind=paired", "--seeds=164"],
  ["--kind=drift", "--seeds=25"],
  ["--kind=pair", "--every=97"],
  ["--kind=busy", "--seeds=30"],
  ["--kind=values", "--seeds=25"],
  ["--kind=aimed", "--seeds=84"],
];

async function all() {
  const { code } = await node(inJest, true);
  const files = new Map();
  for (const kind of parts.map(kindOf)) files.set(kind, await bundle(`main-${kind}`, { kind }));
  const left = [...parts];
  let failed = code === 0 ? 0 : 1;
  const work = async () => {
    for (let args = left.shift(); args !== undefined; args = left.shift())
      if ((await run(files.get(kindOf(args)), args)).code !== 0) failed += 1;
  };
  await Promise.all([work(), work()]);
  return failed;
}

/** `--hours` or `--minutes` without a kind. */
async function long(args) {
  const options = ["hours", "minutes", "processes", "from"].map((name) => [name, { type: "string" }]);
  const { values } = parseArgs({ args, options: Object.fromEntries(options) });
  const numbers = Object.entries(values).map(([name, text]) => {
    if (!(Number(text) > 0)) throw new Error(`--${name}: expected a number above 0, got ${text}`);
    return [name, Number(text)];
  });
  return longRun(await bundle("long"), Object.fromEntries(numbers));
}

const args = process.argv.slice(2);
const asksPlanted = args.includes("--planted");
const names = args.filter((arg) => !arg.startsWith("--"));
const isSearch = args.includes("--search");
const asksKind = args.some((arg) => arg.startsWith("--kind="));
const asksLong = !asksKind && args.some((arg) => /^--(hours|minutes)=/.test(arg));
if (asksPlanted)
  process.exitCode = (await findPlanted({ bundle, run, bundleTest, runTest }, { names, isSearch })) === 0 ? 0 : 1;
else if (asksLong) process.exitCode = (await long(args)) === 0 ? 0 : 1;
else if (args.length > 0) process.exitCode = (await run(await bundle("main", { kind: kindOf(args) }), args)).code;
else process.exitCode = (await all()) === 0 ? 0 : 1;
