import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import type { syncHandler } from "../../../functions/sync";
import type { tickHandler } from "../../../functions/tick";
import type { wakeHandler } from "../../../functions/wake";
import type { openEventRecorder } from "../../../lib/sync/events/event-recorder";
import type { openStore } from "../../../lib/table/store";
import { randomUUID, setTimeout } from "./globals";

/** A version of ebb: what its functions are made of. Their ports have the same form in all versions since 0.1.0. */
export interface Code {
  readonly syncHandler: typeof syncHandler;
  readonly tickHandler: typeof tickHandler;
  readonly wakeHandler: typeof wakeHandler;
  readonly openEventRecorder: typeof openEventRecorder;
  readonly openStore: typeof openStore;
}

let loaded: Code | undefined;

/** ebb 0.1.0, as test/faults/old keeps it. Its time and its randomness are the world's. */
export async function loadOldCode(root: string): Promise<void> {
  const packed = readFileSync(join(root, "test/faults/old/ebb-0.1.0.mjs.gz"));
  const file = join(root, ".cache/faults/ebb-0.1.0.mjs");
  mkdirSync(dirname(file), { recursive: true });
  // Several simulators may run at once: each sees a whole file.
  writeFileSync(`${file}.${process.pid}`, gunzipSync(packed));
  renameSync(`${file}.${process.pid}`, file);
  Object.assign(globalThis, { ebbPlatform: { randomUUID, setTimeout } });
  loaded = (await import(pathToFileURL(file).href)) as Code;
}

export function oldCode(): Code {
  if (loaded === undefined) throw new Error("expected the old code to be loaded before a story deploys it");
  return loaded;
}
