// Lives stories of all kinds in several processes, and counts what they lived. scripts/faults.mjs starts it.
import { spawn } from "node:child_process";
import { availableParallelism, cpus } from "node:os";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";

/**
 * Until so many `hours` are simulated, or so many `minutes` have passed, or Ctrl-C. Prints a line a minute, every
 * violation at once, and a summary every hour and at the end. Resolves to the number of violations.
 */
export function longRun(file, { hours = Infinity, minutes = Infinity, processes = availableParallelism(), from = 1 }) {
  const startedAt = performance.now();
  const kinds = new Map();
  let violations = 0;

  return new Promise((resolve) => {
    const children = Array.from({ length: processes }, (_, index) => start(index + 1));
    let minute = 0;
    const everyMinute = setInterval(() => {
      minute += 1;
      console.log(minute % 60 === 0 ? `${progress()}\n${summary()}\n` : progress());
    }, 60_000);
    const timeUp = minutes === Infinity ? undefined : setTimeout(end, minutes * 60_000);
    let isOver = false;
    process.once("SIGINT", end);
    process.once("SIGTERM", end);

    function start(nth) {
      const args = ["--max-semi-space-size=64", file, `--endless=${nth}/${processes}`, `--from=${from}`];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      createInterface({ input: child.stdout }).on("line", (line) => count(line));
      child.on("close", (code, signal) => {
        if (isOver) return;
        violated(`process ${nth} ended by itself: ${signal ?? `status ${code}`}`);
        if (children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)) end();
      });
      return child;
    }

    function count(line) {
      if (isOver) return;
      const lived = JSON.parse(line);
      const kind = kinds.get(lived.kind) ?? { stories: 0, hours: 0, syncs: 0, repeated: 0, violated: 0 };
      kinds.set(lived.kind, kind);
      kind.stories += 1;
      kind.hours += lived.hours;
      kind.syncs += lived.syncs;
      kind.repeated += lived.isTwice ? 1 : 0;
      if (lived.violations.length > 0) {
        kind.violated += 1;
        violated(`${lived.kind} ${lived.seed}: ${lived.violations.slice(0, 3).join("\n    ")}`);
        console.log(`replay: npm run test:faults -- --kind=${lived.kind} --seed=${lived.seed} --trace`);
      }
      if (sum("hours") >= hours) end();
    }

    function violated(what) {
      violations += 1;
      console.log(what);
    }

    function end() {
      if (isOver) return;
      isOver = true;
      clearInterval(everyMinute);
      clearTimeout(timeUp);
      for (const child of children) child.kill();
      console.log(summary());
      resolve(violations);
    }
  });

  function sum(name) {
    return [...kinds.values()].reduce((total, kind) => total + kind[name], 0);
  }

  function progress() {
    const seconds = (performance.now() - startedAt) / 1_000;
    const rate = (sum("hours") / seconds).toFixed(1);
    const violated = `${violations} violation${violations === 1 ? "" : "s"}`;
    const lived = `${shown(sum("hours"))} hours, ${shown(sum("stories"))} stories, ${violated}`;
    return `${new Date().toISOString()}  ${lived}; ${rate} hours a second`;
  }

  /** As a table for docs. */
  function summary() {
    const names = ["kind", "stories", "simulated hours", "syncs", "run twice", "stories with violations"];
    const fields = ["stories", "hours", "syncs", "repeated", "violated"];
    const rows = [...kinds].map(([name, kind]) => [name, ...fields.map((field) => shown(kind[field]))]);
    const all = ["all", ...fields.map((field) => shown(sum(field)))];
    const table = [names, names.map(() => "---"), ...rows, all].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(0);
    const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"})`;
    return `\n${table}\n\n${minutes} minutes, ${processes} process(es), ${machine}, Node ${process.version}, seeds from ${from}.`;
  }
}

function shown(number) {
  return Math.round(number).toLocaleString("en-US");
}
