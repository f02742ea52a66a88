import { Worker } from "node:worker_threads";

/** Of this process so far. */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Ends this process when a mutant takes more CPU time than it may, even in a loop that never returns to the event loop.
 * The name of the mutant is in the file then.
 */
export function watchCpuTime(endedFile) {
  const watcher = new Worker(watcherSource, { eval: true, workerData: endedFile });
  watcher.unref();
  return {
    begin: (mutant, most) => watcher.postMessage({ mutant, until: cpuMs() + most }),
    end: () => watcher.postMessage({ until: Infinity }),
  };
}

const watcherSource = `
const { writeFileSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");
let watched = { until: Infinity };
parentPort.on("message", (next) => (watched = next));
setInterval(() => {
  const { user, system } = process.cpuUsage();
  if ((user + system) / 1_000 < watched.until) return;
  writeFileSync(workerData, watched.mutant);
  process.kill(process.pid, "SIGKILL");
}, 500);
`;
