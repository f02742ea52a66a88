import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { builtInKinds } from "../lib/sources/registry";

/** What each kind of metric source adds to a start of sync: the size of its file, and the CPU time to load it. */
const folder = "dist/functions";
const rounds = 7;
/** Of a kind's file: its size (cloudwatch has the SDK's client), and its CPU time beside that of sync itself. */
const targets = { kilobytes: 350, startUp: 1 };

const kindOf = (file: string) => /^source-(.+)\.js$/.exec(file)?.[1];
const files = readdirSync(folder).filter((file) => kindOf(file) !== undefined);
const kilobytes = (file: string) => statSync(`${folder}/${file}`).size / 1000;
const required = (file: string) => `require(${JSON.stringify(`./${folder}/${file}`)})`;

function run(script: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8", timeout: 30_000 });
  if (status !== 0) throw new Error(`node -e ${script}: expected exit status 0, got ${status}: ${stderr}`);
  return stdout;
}

/** CPU time: a busy machine changes it less than the clock's. */
function cpuMs(script: string): number {
  const { user, system } = JSON.parse(
    run(`${script}; console.log(JSON.stringify(process.cpuUsage()))`),
  ) as NodeJS.CpuUsage;
  return (user + system) / 1000;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Alternates all of them, so that a busy machine slows each. */
function medians(scripts: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  const names = Object.keys(scripts);
  const all = Array.from({ length: rounds }, () => names.map((name) => cpuMs(scripts[name] ?? "")));
  return Object.fromEntries(names.map((name, at) => [name, median(all.map((round) => round[at] ?? NaN))]));
}

const loaded = "Object.keys(require.cache).filter((file) => /source-[^/]+\\.js$/.test(file)).length";
const byDefault = Number(run(`${required("sync.js")}; console.log(${loaded})`));

const sync = required("sync.js");
const ms = medians({
  bare: "",
  sync,
  ...Object.fromEntries(files.map((file) => [file, `${sync}; ${required(file)}`])),
});
const syncMs = (ms["sync"] ?? NaN) - (ms["bare"] ?? NaN);
const syncKilobytes = kilobytes("sync.js");
const kinds = files.map((file) => {
  const [kilobytesOfKind, over] = [kilobytes(file), (ms[file] ?? NaN) - (ms["sync"] ?? NaN)];
  const ratios = { size: kilobytesOfKind / syncKilobytes, startUp: over / syncMs };
  return { kind: kindOf(file), kilobytes: kilobytesOfKind, ms: over, ratios };
});

const percent = (ratio: number) => `${Math.round(ratio * 100)} %`.padStart(6);
console.log(
  `sync.js, with ${builtInKinds().join(" and ")}: ${syncKilobytes.toFixed(1)} KB, ${syncMs.toFixed(1)} ms of CPU time`,
);
console.log(`over bare node, median of ${rounds}. Of other kinds it loads ${byDefault} files.`);
console.log(`targets of a kind: ${targets.kilobytes} KB, and${percent(targets.startUp)} of that time\n`);
for (const { kind = "", kilobytes: size, ms: over, ratios } of kinds) {
  const columns = [`${size.toFixed(1).padStart(8)} KB`, percent(ratios.size), `${over.toFixed(1).padStart(6)} ms`];
  console.log([kind.padEnd(12), ...columns, percent(ratios.startUp)].join("  "));
}
mkdirSync("reports", { recursive: true });
const report = {
  node: process.version,
  rounds,
  targets,
  sync: { kilobytes: syncKilobytes, ms: syncMs },
  byDefault,
  kinds,
};
writeFileSync("reports/bench-kinds.json", `${JSON.stringify(report, null, 2)}\n`);

// Sizes and counts hold on any machine, so only they fail the run; a time depends on the machine and its load.
const tooLarge = kinds.filter(({ kilobytes: size }) => size > targets.kilobytes);
if (byDefault > 0 || tooLarge.length > 0) process.exitCode = 1;
