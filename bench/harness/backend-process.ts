import { fork } from "node:child_process";
import { once } from "node:events";

/** A backend in a process of its own: its CPU time and its memory are on nobody's account. */
export interface BackendProcess<Ask, Started> {
  readonly started: Started;
  readonly ask: (what: Ask) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** Backends that the bench's own bundle is, if it starts with their name as its argument. */
export type Backends = Readonly<Record<string, () => Promise<void>>>;

export async function startBackend<Ask extends object | string, Started>(
  name: string,
): Promise<BackendProcess<Ask, Started>> {
  // Without the bench's source maps, which would count as the backend's memory.
  const child = fork(process.argv[1] ?? "", [name], { execArgv: [] });
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

/** Runs the bench, or the backend that the argument names. */
export function runBench(main: () => Promise<void>, backends: Backends = {}): void {
  const run = backends[process.argv[2] ?? ""] ?? main;
  run().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
