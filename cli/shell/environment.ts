import type { Readable, Writable } from "node:stream";
import { pause } from "../../lib/async/within-time";
import type { OpenedTable } from "./connect/follow-table";
import { openNamedTable } from "./connect/open-table";
import type { Settings } from "./settings";

/** A stream that may be a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything outside of the command that a verb may touch. Tests give their own. */
export interface CliEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after that many milliseconds, or rejects with the signal's reason when it fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly openTable: (settings: Settings) => Promise<OpenedTable>;
  /** Aborts on Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Sets the process's exit code. */
  readonly exitWith: (code: number) => void;
}

export function processEnvironment(interrupted: AbortSignal): CliEnvironment {
  const { env, stdin, stdout, stderr } = process;
  const exitWith = (code: number) => (process.exitCode = code);
  const now = () => Date.now();
  return { env, stdin, stdout, stderr, now, pause, openTable: openNamedTable, interrupted, exitWith };
}
