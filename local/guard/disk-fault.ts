import { Fault } from "../../lib/model/fault";

/** A full file system, quota or process limit. LevelDB only has the text. */
const fullCodes = ["ENOSPC", "EDQUOT", "EFBIG"];
const fullTexts = /No space left on device|Disk quota exceeded|File too large/i;

/** One sentence for every file, with what to do. */
export function diskFault(path: string, cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault("unreachable", `${path}: ${isFull(cause) ? full : `cannot be written: ${textOf(cause)}`}`, {
    cause,
  });
}

const full = "the disk is full: free some space, then run the command again; what was saved until now is still there";

export function isFull(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return (code !== undefined && fullCodes.includes(code)) || fullTexts.test(textOf(cause));
}

/** LevelDB's reason is in the cause. */
function textOf(cause: unknown): string {
  const { message, cause: deeper } = cause as { readonly message?: string; readonly cause?: { message?: string } };
  return deeper?.message ?? message ?? String(cause);
}
