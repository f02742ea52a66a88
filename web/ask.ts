import { useEffect, useState } from "preact/hooks";

export interface Asked<T> {
  readonly answer?: T;
  /** The last answer stays. */
  readonly error?: string;
}

/** Asks again with each `version`, and keeps the last answer. Without a path, asks nothing. */
export function useAnswer<T>(
  path: string | undefined,
  query: Readonly<Record<string, string | undefined>>,
  version: unknown,
): Asked<T> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const address = `${path ?? ""}?${new URLSearchParams(given).toString()}`;
  const [asked, setAsked] = useState<Asked<T> & { readonly address: string }>({ address });
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    ask<T>(address, leaving.signal).then(
      (next) =>
        setAsked((last) =>
          "answer" in next || last.address !== address ? { address, ...next } : { ...last, ...next },
        ),
      () => undefined,
    );
    return () => leaving.abort();
  }, [address, version]);
  return asked.address === address ? asked : {};
}

/** Rejects once the signal fires. */
async function ask<T>(address: string, signal: AbortSignal): Promise<Asked<T>> {
  try {
    const response = await fetch(address, { signal });
    const body = (await response.json()) as T & { readonly error?: string };
    return response.ok ? { answer: body } : { error: body.error ?? `status ${response.status}` };
  } catch (error) {
    if (signal.aborted) throw error;
    return { error: "`ebb dashboard` does not answer" };
  }
}
