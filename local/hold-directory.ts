import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { Fault } from "../lib/model/fault";
import { stored } from "./directory";
import { diskFault, openPrivateFolder } from "./guard/private-files";
import { holderOf, nameHolder } from "./backends/table/holder";

export interface HeldDirectory {
  /** True if other users could read or write it until now. */
  readonly wasOpen: boolean;
  close(): Promise<void>;
}

/**
 * Makes the directory its user's alone, and holds it for this process: a kill releases it, too. Rejects with a Fault if
 * another running ebb holds it, or another user owns it.
 */
export async function holdDirectory(directory: string): Promise<HeldDirectory> {
  const wasOpen = await openPrivateFolder(directory, Object.values(stored));
  // LevelDB's lock is the kernel's, which Node does not offer.
  const lock = new ClassicLevel(join(directory, stored.lock));
  try {
    await lock.open();
  } catch (cause) {
    if ((cause as { cause?: { code?: string } }).cause?.code !== "LEVEL_LOCKED") throw diskFault(directory, cause);
    const holder = (await holderOf(join(directory, stored.lock))) ?? "another running ebb";
    const hint = "stop that one, or give this one a directory of its own with --directory";
    throw new Fault("conflict", `${directory}: ${holder} uses this directory: ${hint}`, { cause });
  }
  await nameHolder(join(directory, stored.lock)).catch(() => undefined); // a courtesy to those who wait
  return { wasOpen, close: () => lock.close() };
}
