import { openSemaphore } from "./semaphore";

interface Bounds {
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** After a failure, no further call starts. */
export async function someAtATime<T, R>(
  items: readonly T[],
  { limit, signal }: Bounds,
  call: (item: T) => Promise<R>,
): Promise<R[]> {
  const semaphore = openSemaphore(limit);
  const failed = new AbortController();
  const request = { signal: AbortSignal.any([signal, failed.signal]) };
  const answers = items.map((item) =>
    semaphore
      .run(request, () => call(item))
      .catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
  );
  return await Promise.all(answers);
}
