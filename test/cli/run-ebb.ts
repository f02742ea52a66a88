import { PassThrough, Readable } from "node:stream";
import { pause } from "../../lib/async/within-time";
import type { Table } from "../../lib/table/reads";
import { runEbb } from "../../cli/program";
import type { OutputStream, CliEnvironment } from "../../cli/shell/environment";
import { searched } from "../canaries/watch-writes";
import { textOf } from "./text-of";

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface Given {
  /** The table that `--table` or the files would open. Without it, a verb that needs a table fails. */
  readonly table?: Table;
  readonly env?: CliEnvironment["env"];
  readonly stdin?: string;
  /** Somebody types it. */
  readonly typed?: boolean;
  /** Default: the real clock. */
  readonly now?: () => number;
  /** Default: real time. */
  readonly pause?: CliEnvironment["pause"];
  /** Makes stdout and stderr a terminal this wide. */
  readonly columns?: number;
  readonly interrupted?: AbortSignal;
  /** The command's name, where it is not "ebb". */
  readonly name?: string;
}

/** Runs one command line of `ebb` as a shell would, in this process: `await runEbb(["get", "hpa"], { table })`. */
export async function ebb(args: readonly string[], given: Given = {}): Promise<Ran> {
  const [stdout, stderr] = [screen(given.columns), screen(given.columns)];
  let exitCode = 0;
  const environment: CliEnvironment = {
    // Neither the config file nor the kubeconfig of the person who runs the tests.
    env: { EBB_CONFIG: "/nowhere/ebb.yaml", HOME: "/nowhere", ...given.env },
    stdin: Object.assign(Readable.from(given.stdin === undefined ? [] : [given.stdin]), {
      isTTY: given.typed ?? false,
    }),
    stdout,
    stderr,
    now: given.now ?? (() => Date.now()),
    pause: given.pause ?? pause,
    openTable: () => opened(given.table),
    interrupted: given.interrupted ?? new AbortController().signal,
    exitWith: (code) => (exitCode = code),
  };
  await runEbb(args, environment, given.name);
  const ran = { stdout: textOf(stdout), stderr: textOf(stderr), exitCode };
  searched(`ebb ${args.join(" ")}`, ran.stdout + ran.stderr);
  return ran;
}

function opened(table: Table | undefined): ReturnType<CliEnvironment["openTable"]> {
  if (table === undefined) return Promise.reject(new Error("this test has no table"));
  return Promise.resolve({ table, close: () => Promise.resolve() });
}

function screen(columns: number | undefined): OutputStream & PassThrough {
  const stream = new PassThrough({ highWaterMark: 2 ** 30 });
  return columns === undefined ? stream : Object.assign(stream, { isTTY: true, columns });
}
