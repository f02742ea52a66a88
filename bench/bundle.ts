import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

/** The cost of a cold start of sync: size against its budget, each dependency's share, time beyond a bare node. */
const budget = { kilobytes: 450, startUpMs: 45 };
const rounds = 15;

interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

const kilobytes = (bytes: number) => Math.round(bytes / 100) / 10;

/** "node_modules/@aws-sdk/core/dist-es/x.js" → "@aws-sdk/core"; our own files by folder, "lib/sync". */
function ownerOf(input: string): string {
  const packages = [...input.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)];
  return packages.at(-1)?.[1] ?? input.split("/").slice(0, 2).join("/");
}

function shares(file: string): readonly (readonly [string, number])[] {
  const { outputs } = JSON.parse(readFileSync("dist/meta/functions.json", "utf8")) as Metafile;
  const byOwner = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(outputs[file]?.inputs ?? {})) {
    byOwner.set(ownerOf(input), (byOwner.get(ownerOf(input)) ?? 0) + bytesInOutput);
  }
  return [...byOwner].sort((one, other) => other[1] - one[1]);
}

function spawnMs(script: string): number {
  const before = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8", timeout: 30_000 });
  if (status !== 0) throw new Error(`node -e ${script}: expected exit status 0, got ${status}: ${stderr}`);
  return Number(process.hrtime.bigint() - before) / 1e6;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Alternates bare and loaded runs, so that a busy machine slows both. */
function startUp(file: string): { readonly bare: number; readonly over: number } {
  const bare: number[] = [];
  const loaded: number[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(spawnMs(""));
    loaded.push(spawnMs(`require(${JSON.stringify(`./${file}`)})`));
  }
  return { bare: median(bare), over: median(loaded) - median(bare) };
}

function verdict(what: string, value: number, limit: number, unit: string): boolean {
  const percent = Math.round((value / limit) * 100);
  console.log(`${what}: ${value.toFixed(1)} ${unit}, ${percent} % of the budget of ${limit} ${unit}`);
  return value <= limit;
}

for (const name of [
  "tick",
  "wake",
  "sync",
  "kubeconfig-auth",
  "source-cloudwatch",
  "assume-role",
  "secrets-manager-client",
  "ssm-client",
  "sdk-resolution",
]) {
  const file = `dist/functions/${name}.js`;
  console.log(`${file}: ${kilobytes(statSync(file).size)} KB minified`);
}
console.log("\nshares of dist/functions/sync.js, KB:");
const all = shares("dist/functions/sync.js");
const large = all.filter(([, bytes]) => bytes >= 5_000);
for (const [owner, bytes] of large) console.log(`${kilobytes(bytes).toFixed(1).padStart(8)}  ${owner}`);
const rest = all.slice(large.length);
const restBytes = rest.reduce((sum, [, bytes]) => sum + bytes, 0);
console.log(`${kilobytes(restBytes).toFixed(1).padStart(8)}  ${rest.length} others\n`);

const { bare, over } = startUp("dist/functions/sync.js");
console.log(`start-up on Node ${process.version}, median of ${rounds}: bare ${bare.toFixed(1)} ms`);
const inSize = verdict("size of sync", kilobytes(statSync("dist/functions/sync.js").size), budget.kilobytes, "KB");
verdict("start-up of sync over bare node", over, budget.startUpMs, "ms");
// The size must hold on any machine, so only it fails the run; a time depends on the machine and its load.
if (!inSize) process.exitCode = 1;
