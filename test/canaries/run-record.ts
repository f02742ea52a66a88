import { appendFileSync, readFileSync, rmSync } from "node:fs";

/** What the test files of a run, in several processes, tell the end of the run. */
export type RunLine =
  /** A secret where it may not be. */
  | { readonly test: string; readonly where: string; readonly found: string }
  /** A temporary folder, which may be there when the run ends. */
  | { readonly folder: string }
  /** A path where secrets may be. */
  | { readonly planted: string };

/** jest.config.mjs sets it, and every process of the run inherits it. */
function recordFile(): string {
  const file = process.env["EBB_TEST_RECORD"];
  if (file === undefined) throw new Error("expected EBB_TEST_RECORD, which jest.config.mjs sets");
  return file;
}

export function record(line: RunLine): void {
  appendFileSync(recordFile(), `${JSON.stringify(line)}\n`);
}

/** All lines of the run. The next run starts from none. */
export function takeRecord(): readonly RunLine[] {
  const file = recordFile();
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RunLine);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return [];
  } finally {
    rmSync(file, { force: true });
  }
}
