import type { EpochMs } from "../k8s/time";
import { onAbort } from "./within-time";

/** Resolves at this moment of the clock, or when the signal fires. */
export async function sleepUntil(
  at: EpochMs,
  signal: AbortSignal,
  now: () => EpochMs = () => Date.now(),
): Promise<void> {
  if (signal.aborted) return;
  let unlisten = () => {};
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, at - now()));
    unlisten = onAbort(signal, () => {
      clearTimeout(timer);
      resolve();
    });
  });
  unlisten();
}
