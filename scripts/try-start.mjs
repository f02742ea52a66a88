// Does what a person does in the first minutes: `npm start`, looks for a workload that goes from 0 to some replicas and back to 0, and
// presses Ctrl-C. Succeeds when both were seen and the command ended with status 0.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { clearTimeout, setTimeout } from "node:timers";

const scaledMs = 180_000;
const stopMs = 30_000;

// A process group of its own, as a terminal gives it one: Ctrl-C goes to npm and to everything that it started.
const start = spawn("npm", ["start"], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
const exited = once(start, "exit");
const scaled = watch();
const cutOff = setTimeout(() => fail(`no workload went 0 → N → 0 within ${scaledMs / 1000} s`), scaledMs);
await Promise.race([scaled, exited.then(([code]) => fail(`npm start ended by itself, with status ${code}`))]);
clearTimeout(cutOff);
start.stdout.resume();

process.kill(-start.pid, "SIGINT");
const stuck = setTimeout(() => fail(`npm start was still running ${stopMs / 1000} s after Ctrl-C`), stopMs);
const [code, signal] = await exited;
clearTimeout(stuck);
if (code !== 0) fail(`after Ctrl-C: expected exit status 0, got ${code ?? signal}`);
console.log("try-start: 0 → N → 0 seen, stopped cleanly");

/** Resolves when one target was scaled from zero, and later to zero. Lines read `<time> <namespace/target> 0 → 4 <reason> …`. */
async function watch() {
  const awake = new Set();
  for await (const line of createInterface({ input: start.stdout })) {
    console.log(line);
    const [, target, from, to] = /(\S+\/\S+)\s+(\d+) → (\d+)\s/.exec(line) ?? [];
    if (target === undefined) continue;
    if (from === "0" && to !== "0") awake.add(target);
    if (to === "0" && awake.has(target)) return;
  }
  await new Promise(() => {}); // its output ended: how it ended is for the caller to see
}

function fail(message) {
  console.error(`try-start: ${message}`);
  try {
    process.kill(-start.pid, "SIGKILL");
  } catch {
    // it is gone already
  }
  process.exit(1);
}
