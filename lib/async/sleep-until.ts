import type { EpochMs } from "../k8s/time";
import { onAbort } from "./within-time";

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
