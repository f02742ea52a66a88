import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { runBench } from "./harness/backend-process";
import { judge, median, writeReport } from "./harness/report";

/**
 * The cost of a cold start: the size of sync and each dependency's share of it, and what each function and each kind of
 * source adds. Sizes, and how many kinds load at the start, fail the run; CPU time depends on the machine.
 */
const folder = "dist/functions";
const rounds = 7;
/** Of sync, and of a kind's file: cloudwatch has the SDK's client. */
const most = { syncKilobytes: 450, kindKilobytes: 350, kindsAtStart: 0 };

interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

const kilobytes = (file: string) => statSync(`${folder}/${file}`).size / 1000;
const required = (file: string) => `require(${JSON.stringify(`./${folder}/${file}`)})`;

/** "node_modules/@aws-sdk/core/dist-es/x.js" → "@aws-sdk/core"; our own files by folder, "lib/sync". */
function ownerOf(input: string): string {
  const packages = [...input.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)];
  return packages.at(-1)?.[1] ?? input.split("/").slice(0, 2).join("/");
}

/** In KB, the largest first. */
function shares(file: string): Readonly<Record<string, number>> {
  const { outputs } = JSON.parse(readFileSync("dist/meta/functions.json", "utf8")) as Metafile;
  const byOwner = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(outputs[`${folder}/${file}`]?.inputs ?? {}))
    byOwner.set(ownerOf(input), (byOwner.get(ownerOf(input)) ?? 0) + bytesInOutput / 1000);
  return Object.fromEntries([...byOwner].sort((one, other) => other[1] - one[1]));
}

function run(script: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8", timeout: 30_000 });
  if (status !== 0) throw new Error(`node -e ${script}: expected exit status 0, got ${status}: ${stderr}`);
  return stdout;
}

/** CPU time: a busy machine changes it less than the clock's. */
function cpuMs(script: string): number {
  const usage = JSON.parse(run(`${script}; console.log(JSON.stringify(process.cpuUsage()))`)) as NodeJS.CpuUsage;
  return (usage.user + usage.system) / 1000;
}

/** Alternates all of them, so that a busy machine slows each. */
function medians(scripts: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  const all = Array.from({ length: rounds }, () => Object.values(scripts).map(cpuMs));
  const names = Object.keys(scripts);
  return Object.fromEntries(names.map((name, at) => [name, median(all.map((round) => round[at] ?? NaN))]));
}

const round = (value: number) => Math.round(value * 10) / 10;

function main(): Promise<void> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".js"));
  const kinds = files.filter((file) => file.startsWith("source-"));
  console.table(Object.fromEntries(files.map((file) => [file, { KB: round(kilobytes(file)) }])));
  const large = Object.entries(shares("sync.js")).filter(([, share]) => share >= 5);
  console.table(Object.fromEntries(large.map(([owner, share]) => [owner, { "KB of sync.js": round(share) }])));

  const sync = required("sync.js");
  const scripts = Object.fromEntries(kinds.map((file) => [file, `${sync}; ${required(file)}`]));
  const { bare = NaN, sync: withSync = NaN, ...ms } = medians({ bare: "", sync, ...scripts });
  const rows = {
    "sync.js": withSync - bare,
    ...Object.fromEntries(kinds.map((file) => [file, (ms[file] ?? NaN) - withSync])),
  };
  console.table(Object.fromEntries(Object.entries(rows).map(([file, over]) => [file, { "ms of CPU": round(over) }])));

  judge("size of sync", kilobytes("sync.js"), most.syncKilobytes, " KB");
  for (const file of kinds) judge(`size of ${file}`, kilobytes(file), most.kindKilobytes, " KB");
  const loaded = "Object.keys(require.cache).filter((file) => /source-[^/]+\\.js$/.test(file)).length";
  judge("kinds that load with sync", Number(run(`${sync}; console.log(${loaded})`)), most.kindsAtStart);
  writeReport("bundle", { rounds, most, cpuMs: rows });
  return Promise.resolve();
}

runBench(main);
