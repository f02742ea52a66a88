import type { Readable, Writable } from "node:stream";
import { pause } from "../../lib/async/within-time";
import { type OpenedTable, openNamedTable } from "./connect/open-table";
import type { Settings } from "./settings";

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** Tests pass their own. */
export interface CliEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly setRawMode?: (isRaw: boolean) => unknown };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly now: () => number;
  /** Rejects with the signal's reason when it fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly openTable: (settings: Settings) => Promise<OpenedTable>;
  /** Aborts on Ctrl-C. */
  readonly interrupted: AbortSignal;
  readonly exitWith: (code: number) => void;
}

export function processEnvironment(interrupted: AbortSignal): CliEnvironment {
  const { env, stdin, stdout, stderr } = process;
  const exitWith = (code: number) => (process.exitCode = code);
  const now = () => Date.now();
  return { env, stdin, stdout, stderr, now, pause, openTable: openNamedTable, interrupted, exitWith };
}
