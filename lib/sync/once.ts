/** Shares one promise for each key: whoever asks second waits for the first one's answer. */
export function once<T>(): (key: string, start: () => Promise<T>) => Promise<T> {
  const started = new Map<string, Promise<T>>();
  return (key, start) => {
    const known = started.get(key);
    if (known !== undefined) return known;
    const promise = start();
    started.set(key, promise);
    return promise;
  };
}
