import { BoundedMap } from "../../async/bounded-map";
import { limitConcurrency } from "../../async/semaphore";
import type { EpochMs } from "../../k8s/time";
import { Fault } from "../../model/fault";
import { type Fetch, groupsBy } from "./cloudwatch-calls";
import type { Fetched } from "./get-metric-data";

/**
 * CloudWatch refuses a whole call for one bad expression, and names it only in the message. So shared calls are split
 * to find it, at the cost of the refused HPA:
 *
 * - The search finds the HPA, not the expression: about 9 calls for one among 500. Accepted parts keep their values.
 * - For 10 minutes, that HPA's expressions share no call with others'.
 * - Its own calls, after everyone else's, find its bad expressions.
 */
export interface RefusedRequesters {
  /** True for 10 minutes after a refusal. */
  has(requester: string): boolean;
  add(requester: string): void;
  count(): number;
}

const apartMs = 600_000;
const maxRemembered = 10_000;

export function rememberRefused(now: () => EpochMs): RefusedRequesters {
  const until = new BoundedMap<string, EpochMs>(maxRemembered);
  return {
    has: (requester) => (until.get(requester) ?? -Infinity) > now(),
    add: (requester) => void until.set(requester, now() + apartMs),
    count: () => until.size,
  };
}

/** `isLast`: may wait for others. */
export type FetchTogether = (fetches: readonly Fetch[], isLast: boolean) => Promise<readonly Fetched[] | Fault>;

/** Per read: calls that find refused HPAs, and calls that find the bad expressions of these. */
const searchCalls = 64;
const ownCalls = 256;
const mostOwnCalls = 64;

type Fetches = readonly Fetch[];
type UnitOf = (fetch: Fetch) => unknown;
const byRequester: UnitOf = ({ requester }) => requester;

/** Never rejects. */
export function openRefusalSearch(
  refused: RefusedRequesters,
): (call: Fetches, fetchTogether: FetchTogether) => Promise<readonly Fetched[]> {
  const oneSearch = limitConcurrency(1);
  const share = Math.min(mostOwnCalls, Math.floor(ownCalls / Math.max(1, refused.count())));
  const used = new Map<string, number>();
  let searches = 0;

  const maySearch = () => ++searches <= searchCalls;
  const maySplit = (requester: string) => {
    const calls = (used.get(requester) ?? 0) + 1;
    used.set(requester, calls);
    return calls <= share;
  };

  return async (call, fetchTogether) => {
    const answers = new Map<Fetch, Fetched>();
    /** @returns why the fetches were refused; undefined: answered. */
    const settle = async (fetches: Fetches, isLast: boolean): Promise<Fault | undefined> => {
      const answer = await fetchTogether(fetches, isLast);
      if (answer instanceof Fault && answer.kind === "badEntry") return answer;
      fetches.forEach((fetch, index) => answers.set(fetch, answer instanceof Fault ? answer : answer[index]));
      return undefined;
    };
    const failRest = (fetches: Fetches, fault: Fault): void => {
      for (const fetch of fetches) if (!answers.has(fetch)) answers.set(fetch, fault);
    };

    const narrow = async (
      fetches: Fetches,
      unitOf: UnitOf,
      { mayFetch, isLast }: { readonly mayFetch: () => boolean; readonly isLast: boolean },
    ): Promise<{ readonly found: Fetches; readonly unasked: Fetches } | undefined> => {
      let found = fetches;
      let unasked: Fetches = [];
      for (let units = groupsBy(found, unitOf); units.length > 1; units = groupsBy(found, unitOf)) {
        if (!mayFetch()) return undefined;
        const middle = Math.ceil(units.length / 2);
        const [head, tail] = [units.slice(0, middle).flat(), units.slice(middle).flat()];
        const isRefused = (await settle(head, isLast)) !== undefined;
        found = isRefused ? head : tail;
        if (isRefused) unasked = [...tail, ...unasked];
      }
      return { found, unasked };
    };

    const searchRequesters = async (fetches: Fetches, fault: Fault): Promise<readonly Fetches[]> => {
      const own: Fetches[] = [];
      let left = fetches;
      let why: Fault | undefined = fault;
      while (why !== undefined && left.length > 0) {
        const known = left.filter(({ requester }) => refused.has(requester));
        if (known.length > 0) {
          own.push(...groupsBy(known, byRequester));
          left = left.filter((fetch) => !known.includes(fetch));
        } else {
          const one = await narrow(left, byRequester, { mayFetch: maySearch, isLast: false });
          if (one === undefined) {
            failRest(left, why);
            return own;
          }
          one.found.forEach(({ requester }) => refused.add(requester));
          own.push(one.found);
          left = one.unasked;
        }
        why = left.length === 0 ? undefined : await settle(left, false);
      }
      return own;
    };

    const searchOwn = async (fetches: Fetches): Promise<void> => {
      const requester = fetches[0]?.requester ?? "";
      const mayFetch = () => maySplit(requester);
      let left = fetches;
      let why = await settle(left, refused.has(requester));
      while (why !== undefined) {
        refused.add(requester);
        if (left.length === 1) return failRest(left, why);
        const one = await narrow(left, (fetch) => fetch, { mayFetch, isLast: true });
        if (one === undefined || !mayFetch()) return failRest(left, why);
        // Alone, so that the message is its own.
        const alone = await settle(one.found, true);
        if (alone !== undefined) failRest(one.found, alone);
        left = one.unasked;
        if (left.length === 0) return;
        if (!mayFetch()) return failRest(left, why);
        why = await settle(left, true);
      }
    };

    if (groupsBy(call, byRequester).length === 1) await searchOwn(call);
    else {
      const why = await settle(call, false);
      const own = why === undefined ? [] : await oneSearch(() => searchRequesters(call, why));
      await Promise.all(own.map(searchOwn));
    }
    return call.map((fetch) => answers.get(fetch));
  };
}
