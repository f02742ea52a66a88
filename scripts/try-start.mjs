// Tries ebb as a new user does: runs `npm start`, waits until a workload goes from 0 to some replicas and back to 0,
// and presses Ctrl-C. Succeeds if the workload does both and the command ends with its summary.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { clearTimeout, setTimeout } from "node:timers";

// A quiet machine takes a minute and a second. On a busy one each may take several times as long.
const scaledMs = 420_000;
const stopMs = 120_000;

// In its own process group, as in a terminal: Ctrl-C reaches npm and every process that it started.
const start = spawn("npm", ["start"], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
const closed = once(start, "close");
const awake = new Set();
let scaled = false;
let summary;

let giveUp = setTimeout(() => fail(`no workload went 0 → N → 0 within ${scaledMs / 1000} s`), scaledMs);
for await (const line of createInterface({ input: start.stdout })) {
  console.log(line);
  if (/^ran \d+ s: /.test(line)) summary = line;
  if (scaled || !goesToZeroAgain(line)) continue;
  scaled = true;
  clearTimeout(giveUp);
  giveUp = setTimeout(() => fail(`npm start was still running ${stopMs / 1000} s after Ctrl-C`), stopMs);
  process.kill(-start.pid, "SIGINT");
}
const [code, signal] = await closed;
clearTimeout(giveUp);
if (!scaled) fail(`npm start ended by itself, with ${code ?? signal}`);
// npm passes SIGINT on to its caller, even if its script succeeded.
if (code !== 0 && signal !== "SIGINT") fail(`after Ctrl-C: expected exit status 0 or SIGINT, got ${code ?? signal}`);
if (summary === undefined) fail("after Ctrl-C: expected the summary (ran … s: …), it did not come");
console.log("try-start: 0 → N → 0 seen, stopped cleanly");

/** Whether the line reports that a target scaled from zero is at zero again: `<time>  <target>  4 → 0  <reason> …`. */
function goesToZeroAgain(line) {
  const [, target, from, to] = /(\S+\/\S+)\s+(\d+) → (\d+)\s/.exec(line) ?? [];
  if (from === "0") awake.add(target);
  return to === "0" && awake.has(target);
}

function fail(message) {
  console.error(`try-start: ${message}`);
  try {
    process.kill(-start.pid, "SIGKILL");
  } catch {
    // it has already exited
  }
  process.exit(1);
}
