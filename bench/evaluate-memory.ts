import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBench } from "./harness/backend-process";
import { judge, measureUntil } from "./harness/report";
import { cpuSituations, externalSituations, linesOf } from "./harness/situations";

/**
 * The peak memory of `ebb evaluate` on streams of every kind. It fails above 100 MiB: when V8 gives memory back depends
 * on its other threads, so a peak above that counts only if three runs in a row have it.
 */
const mostMegabytes = 100;
const mostRuns = 3;

const repeated = (part: string, count: number) => Array.from({ length: count }, () => part).join(",");
const names = Array.from({ length: 60_000 }, (_, index) => `"name${index}":0`).join(",");

const streams: Readonly<Record<string, () => string>> = {
  "20,000 External situations": () => linesOf(externalSituations(), 20_000),
  "4,000 situations with 20 pods": () => linesOf(cpuSituations(20), 4_000),
  "20 situations with 1,300 pods": () => linesOf(cpuSituations(1_300), 20),
  "500,000 malformed lines": () => "{\n".repeat(500_000),
  "one line of 300 MB": () => "[".repeat(300_000_000),
  "lines of one long text": () => `"${"é".repeat(500_000)}"\n`.repeat(20),
  "lines of many lists": () => `{"id":[${repeated("[]", 39_000)}]}\n`.repeat(20),
  "lines of many maps": () => `{"id":[${repeated('{"a":0}', 39_000)}]}\n`.repeat(20),
  "lines of many names": () => `{${names}}\n`.repeat(20),
  "lines of escapes": () => `{"id":"${"\\u0001".repeat(170_000)}"}\n`.repeat(20),
  "lines of deep nesting": () => `{"id":${"[".repeat(30_000)}${"]".repeat(30_000)}}\n`.repeat(40),
};

/**
 * Prints the child's own peak, in KB, as the last line of standard error. The `maxRSS` of a process begins with what
 * its parent had at the fork.
 */
const reporter = `process.on("exit", () => {
  const fs = require("fs");
  fs.writeSync(2, "\\n" + /^VmHWM:\\s+(\\d+) kB$/m.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);
});`;

async function main(): Promise<void> {
  if (process.platform !== "linux") throw new Error(`peaks are in /proc: expected linux, got ${process.platform}`);
  const folder = mkdtempSync(join(tmpdir(), "ebb-evaluate-"));
  try {
    const script = join(folder, "reporter.cjs");
    writeFileSync(script, reporter);
    const build = spawnSync(process.execPath, ["scripts/build.mjs", "ebb"], { encoding: "utf8" });
    if (build.status !== 0) throw new Error(build.stderr);
    for (const [name, stream] of Object.entries(streams)) {
      const file = join(folder, "lines.jsonl");
      writeFileSync(file, stream());
      const peaks = await measureUntil(
        mostRuns,
        () => peakOf(script, file),
        (peak) => peak <= mostMegabytes,
      );
      judge(name, Math.min(...peaks), mostMegabytes, " MiB");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function peakOf(script: string, file: string): number {
  const output = openSync("/dev/null", "w");
  const { stderr } = spawnSync(process.execPath, ["--require", script, "dist/ebb.js", "evaluate", file], {
    stdio: ["ignore", output, "pipe"],
    encoding: "utf8",
  });
  closeSync(output);
  const peak = Number(stderr.trim().split("\n").at(-1));
  if (!(peak > 0)) throw new Error(`ebb evaluate failed: ${stderr}`);
  return Math.ceil(peak / 1024);
}

runBench(main);
