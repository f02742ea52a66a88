// Runs a command beside busy loops, as on a machine that others use: `node scripts/beside-load.mjs 16 npm test`. The
// loops end with it, whatever ends it. Exits as the command does.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

const [count, command, ...args] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(count ?? "") || command === undefined) {
  console.error("expected the number of busy loops and a command: node scripts/beside-load.mjs 16 npm test");
  process.exit(2);
}

// A loop also ends by itself when this process is gone, even if it was killed.
const loop = `for (;;) { const until = Date.now() + 1_000; while (Date.now() < until); if (process.ppid !== ${process.pid}) process.exit(); }`;
const loops = Array.from({ length: Number(count) }, () => spawn(process.execPath, ["-e", loop], { stdio: "ignore" }));
const endLoops = () => loops.forEach((one) => one.kill("SIGKILL"));
process.on("exit", endLoops);

const running = spawn(command, args, { stdio: "inherit" });
// A terminal sends Ctrl-C to the command as well, which decides when it ends.
process.on("SIGINT", () => undefined);
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => running.kill(signal));
try {
  const [code, signal] = await once(running, "exit");
  process.exit(code ?? 128 + constants.signals[signal]);
} catch (error) {
  console.error(`beside-load: ${error.message}`);
  process.exit(127);
}
