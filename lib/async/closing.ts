export interface Closing {
  add(close: () => unknown): void;
  /** Closes everything once, the last first, also after a failure. Rejects with the first failure. */
  close(): Promise<void>;
}

/** Rejects with the first failure. */
export async function closeAfter<T>(work: (closing: Closing) => Promise<T>): Promise<T> {
  const closing = openClosing();
  const result = await orClose(closing, work);
  await closing.close();
  return result;
}

/** Closes what was added to `closing` only if `open` rejects. Otherwise, its result closes them later. */
export function closeOnFailure<T>(open: (closing: Closing) => Promise<T>): Promise<T> {
  return orClose(openClosing(), open);
}

export async function closeAll(closes: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closes) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function openClosing(): Closing {
  let closes: readonly (() => unknown)[] = [];
  return {
    add(close) {
      closes = [close, ...closes];
    },
    close() {
      const all = closes;
      closes = [];
      return closeAll(all);
    },
  };
}

async function orClose<T>(closing: Closing, work: (closing: Closing) => Promise<T>): Promise<T> {
  try {
    return await work(closing);
  } catch (error) {
    await closing.close().catch(() => undefined);
    throw error;
  }
}
