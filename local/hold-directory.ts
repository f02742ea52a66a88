import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { Fault } from "../lib/model/fault";
import { stored } from "./directory";
import { diskFault, openPrivateFolder } from "./guard/private-files";
import { holderOf, nameHolder } from "./backends/table/holder";

export interface HeldDirectory {
  /** True if other users had permissions until now. */
  readonly wasOpen: boolean;
  close(): Promise<void>;
}

/**
 * Makes the directory private to the user, and holds it until this process ends. Rejects with a Fault if another ebb
 * holds it, or another user owns it.
 */
export async function holdDirectory(directory: string): Promise<HeldDirectory> {
  const wasOpen = await openPrivateFolder(directory, Object.values(stored));
  const lock = new ClassicLevel(join(directory, stored.lock));
  try {
    await lock.open();
  } catch (cause) {
    if ((cause as { cause?: { code?: string } }).cause?.code !== "LEVEL_LOCKED") throw diskFault(directory, cause);
    const holder = (await holderOf(join(directory, stored.lock))) ?? "another running ebb";
    const hint = "stop that one, or give this one a directory of its own with --directory";
    throw new Fault("conflict", `${directory}: ${holder} uses this directory: ${hint}`, { cause });
  }
  await nameHolder(join(directory, stored.lock)).catch(() => undefined); // only for messages
  return { wasOpen, close: () => lock.close() };
}
