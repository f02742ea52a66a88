import { fork } from "node:child_process";
import { once } from "node:events";

/** A far end in a process of its own: its CPU time and its memory are on nobody's account. */
export interface FarEndProcess<Ask, Started> {
  readonly started: Started;
  readonly ask: (what: Ask) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** Far ends that the bench's own bundle is, if it starts with their name as its argument. */
export type FarEnds = Readonly<Record<string, () => Promise<void>>>;

export async function startFarEnd<Ask extends object | string, Started>(
  name: string,
): Promise<FarEndProcess<Ask, Started>> {
  const child = fork(process.argv[1] ?? "", [name]);
  const exited = once(child, "exit");
  const answer = async () => ((await once(child, "message")) as [unknown])[0];
  const started = (await answer()) as Started;
  return {
    started,
    async ask(what) {
      const answered = answer();
      child.send(what);
      return answered;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** In the process itself, which ends with the bench. `onAsk` gives the answer to a question. */
export function serveAsks<Ask>(started: unknown, onAsk: (ask: Ask) => unknown): void {
  process.on("message", (ask: Ask) => process.send?.(onAsk(ask) ?? null));
  process.on("disconnect", () => process.exit(0));
  process.send?.(started);
}

/** Runs the bench, or the far end that the argument names. */
export function runBench(main: () => Promise<void>, farEnds: FarEnds): void {
  const run = farEnds[process.argv[2] ?? ""] ?? main;
  run().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
