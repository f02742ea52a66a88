import { failureText } from "../failure";

const streams = [process.stdin, process.stdout, process.stderr];

/**
 * Resolves when the run is to end: on Ctrl-C, SIGTERM, SIGHUP, and when its terminal or the reader of its output is
 * gone. A second Ctrl-C or SIGTERM ends the process at once.
 */
export function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    // A terminal that closes sends it to the shell, which sends it again.
    process.on("SIGHUP", () => resolve());
    for (const stream of streams) stream.on("error", () => resolve());
  });
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
