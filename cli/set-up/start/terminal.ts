import { failureText } from "../../shell/failure";
import { storeOn } from "../../../compose";
import { formatTable } from "../../shell/print/get-row";
import { findHpas } from "../../../lib/read/find-hpas";
import type { Table } from "../../../lib/table/reads";
import { cellsOf, headerOf, type TableStyle } from "../../look/get/columns";
import type { Output } from "../../shell/output";
import { alignFor } from "../../shell/print/fit-columns";

const streams = [process.stdin, process.stdout, process.stderr];
let hungUp = false;

const usualColumns = 100;

export function terminalColumns(): number {
  return (process.stdout.isTTY && process.stdout.columns) || usualColumns;
}

export function ebbCommand({ npm_lifecycle_event: script }: Readonly<Record<string, string | undefined>>): string {
  return script === "start" ? "npm run -s ebb --" : "ebb";
}

/**
 * Resolves on Ctrl-C, SIGTERM, SIGHUP, and when the terminal or the output's reader is gone. A second signal ends the
 * process at once.
 */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    // A closing terminal sends it to the shell, which sends it again.
    process.on("SIGHUP", () => {
      hungUp = true;
      resolve();
    });
    for (const stream of streams) stream.on("error", () => resolve());
  });
}

/** Ends by SIGHUP, because Node aborts when it cannot reset a terminal. */
export function leaveClosedTerminal(): void {
  if (!hungUp || !streams.some(({ isTTY }) => isTTY)) return;
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}

/** @returns a function that stops listening. */
export function onEnter(print: () => Promise<void>): () => void {
  if (!process.stdin.isTTY) return () => {};
  const listen = () => void print().catch((error: unknown) => process.stderr.write(`${failureText(error)}\n`));
  process.stdin.on("data", listen);
  return () => {
    process.stdin.off("data", listen);
    process.stdin.pause();
  };
}

const style: TableStyle = { wide: false, headers: true, showLabels: false, labelColumns: [], typedNames: false };

export async function printHpas(table: Table, out: Output): Promise<void> {
  const now = () => Date.now();
  const store = storeOn(table, { now });
  const signal = AbortSignal.timeout(30_000);
  const clusters = (await store.clusters(signal)).map(({ key }) => key);
  const scope = { resource: { name: "hpa" }, clusters } as const;
  const { found, problems } = await findHpas({ store, signal, now }, scope);
  for (const problem of problems) out.warn(problem);
  if (found.length === 0) return out.note("No resources found");
  const rows = found.map((one) => cellsOf(one, scope, style));
  out.write(formatTable(headerOf(scope, style), rows, alignFor(out.terminal)));
}
