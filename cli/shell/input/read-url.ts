import { failure, isFailure } from "../failure";
import { readAll, tooLarge } from "./read-bytes";

const mostRedirects = 10;

const timeoutMs = 30_000;

const attempts = 3;

/** As in kubectl. */
export function isUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}

/**
 * Retries a server error, like kubectl. Refuses redirects from https to http.
 * @throws Failure
 */
export async function readUrl(url: string): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    for (let attempt = 1; ; attempt++) {
      const answer = await followed(url, signal);
      if (answer.ok) return await readAll(bodyOf(answer), url, `unable to read URL "${url}": ${tooLarge}`);
      await answer.body?.cancel();
      if (answer.status < 500 || attempt === attempts)
        throw failure(
          `unable to read URL "${url}": server reported ${answer.status} ${answer.statusText}, status code=${answer.status}`,
        );
    }
  } catch (error) {
    if (signal.aborted) throw failure(`unable to read URL "${url}": no answer within ${timeoutMs / 1000} s`);
    if (isFailure(error)) throw error;
    const { cause = error } = error as Error;
    throw failure(`unable to read URL "${url}": ${(cause as Error).message}`);
  }
}

async function followed(url: string, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const answer = await fetch(at, { signal, redirect: "manual" });
    const location = answer.headers.get("location");
    if (answer.status < 300 || answer.status >= 400 || location === null) return answer;
    await answer.body?.cancel();
    const next = new URL(location, at).href;
    if (!isUrl(next) || (at.startsWith("https:") && !next.startsWith("https:")))
      throw failure(`unable to read URL "${url}": it redirects to ${next}: expected an https URL`);
    at = next;
  }
  throw failure(`unable to read URL "${url}": stopped after ${mostRedirects} redirects`);
}

function bodyOf({ body }: Response): AsyncIterable<unknown> {
  return (body ?? []) as AsyncIterable<unknown>;
}
