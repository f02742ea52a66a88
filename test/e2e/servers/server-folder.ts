import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { planted } from "../../canaries/watch-writes";

export interface ServerFolder {
  /** For certificates and data; gone after remove(). */
  readonly path: string;
  /** Kept, in <cache>/logs/e2e/<suite>/, so that a failure can be looked into afterwards. */
  log(server: string): string;
  remove(): void;
}

export function serverFolder(): ServerFolder {
  const suite = basename(expect.getState().testPath ?? "suite", ".test.ts");
  const logs = join(resolve(__dirname, "../../..", process.env.EBB_CACHE || ".cache"), "logs/e2e", suite);
  mkdirSync(logs, { recursive: true });
  const path = mkdtempSync(join(tmpdir(), "ebb-e2e-"));
  // The server's credentials and data. Its logs are searched for them.
  planted(path);
  return {
    path,
    log: (server) => {
      const log = join(logs, `${server}.log`);
      rmSync(log, { force: true });
      return log;
    },
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
