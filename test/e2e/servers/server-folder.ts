import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { planted } from "../../canaries/watch-writes";
import { cacheFolder } from "./checkout";

export interface ServerFolder {
  /** For certificates and data; gone after remove(). */
  readonly path: string;
  /** Kept, in <cache>/logs/e2e/<suite or benchmark>/, so that a failure can be looked into afterwards. */
  log(server: string): string;
  remove(): void;
}

export function serverFolder(): ServerFolder {
  const logs = join(cacheFolder(), "logs/e2e", suiteName());
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

/** A benchmark runs outside Jest. */
function suiteName(): string {
  const path = typeof expect === "undefined" ? process.argv[1] : expect.getState().testPath;
  return basename(path ?? "suite").replace(/(\.test)?\.[jt]s$/, "");
}
