import { failureText } from "../../shell/failure";

const streams = [process.stdin, process.stdout, process.stderr];
let hungUp = false;

/** Of a file or a pipe, and of a terminal that does not know its width. */
const usualColumns = 100;

/** The width of stdout now: a terminal's user may change it. */
export function terminalColumns(): number {
  return (process.stdout.isTTY && process.stdout.columns) || usualColumns;
}

/** As its user types it: `npm start` in a clone, or the command on the path. */
export function ebbCommand({ npm_lifecycle_event: script }: Readonly<Record<string, string | undefined>>): string {
  return script === "start" ? "npm run -s ebb --" : "ebb";
}

/**
 * Resolves when the run is to end: on Ctrl-C, SIGTERM, SIGHUP, and when its terminal or the reader of its output is
 * gone. A second Ctrl-C or SIGTERM ends the process at once.
 */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    // A terminal that closes sends it to the shell, which sends it again.
    process.on("SIGHUP", () => {
      hungUp = true;
      resolve();
    });
    for (const stream of streams) stream.on("error", () => resolve());
  });
}

/** After a clean end without its terminal: ends by SIGHUP, because Node aborts when it cannot reset a terminal. */
export function leaveClosedTerminal(): void {
  if (!hungUp || !streams.some(({ isTTY }) => isTTY)) return;
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}

/** Enter prints what `print` prints. @returns a function that ends this. */
export function onEnter(print: () => Promise<void>): () => void {
  if (!process.stdin.isTTY) return () => {};
  const listen = () => void print().catch((error: unknown) => process.stderr.write(`${failureText(error)}\n`));
  process.stdin.on("data", listen);
  return () => {
    process.stdin.off("data", listen);
    process.stdin.pause();
  };
}
