import { spawn, type ChildProcess } from "node:child_process";
import { openSync, closeSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export interface ChildCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Where its output goes; its last lines are in the error when it does not become ready. */
  readonly log: string;
  /** Asked until it answers true; a rejection is "not yet". */
  readonly ready: () => Promise<boolean>;
  readonly readyTimeoutMs: number;
}

export interface Child {
  /** Asks it to end, kills it after 5 s, and returns once it is gone. */
  stop(): Promise<void>;
}

/**
 * Runs the command until our end of its standard input closes. That end closes on stop(), and also when this process
 * dies, so no server is left behind.
 */
const guard = `
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
( cat <&3; kill -TERM $child; sleep 5; kill -KILL $child ) >/dev/null 2>&1 &
poller=$!
exec 3<&-
wait $child
status=$?
kill $poller 2>/dev/null
exit $status
`;

/** @throws Error with the last lines of its log, when it ends or does not become ready in time */
export async function startChild(command: ChildCommand): Promise<Child> {
  const output = openSync(command.log, "a");
  const child = spawn("/bin/sh", ["-c", guard, command.name, command.command, ...command.args], {
    cwd: command.cwd,
    env: { ...process.env, ...command.env },
    stdio: ["pipe", output, output],
  });
  closeSync(output);
  const exited = once(child, "exit");
  const stop = async () => {
    child.stdin?.destroy();
    if (child.exitCode === null && child.signalCode === null) await exited;
  };
  try {
    await untilReady(command, child);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilReady(command: ChildCommand, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + command.readyTimeoutMs;
  let last: unknown;
  for (;;) {
    if (child.exitCode !== null) throw failure(command, `ended with exit status ${child.exitCode}`, last);
    try {
      if (await command.ready()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw failure(command, `was not ready after ${command.readyTimeoutMs / 1000} s`, last);
    await sleep(50);
  }
}

function failure({ name, log }: ChildCommand, what: string, cause: unknown): Error {
  const tail = readFileSync(log, "utf8").trimEnd().split("\n").slice(-25).join("\n");
  return new Error(`${name} ${what}. The end of ${log}:\n${tail}`, { cause });
}
