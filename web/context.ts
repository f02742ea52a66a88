import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { escapeLine, humanDuration } from "../lib/read/page/words";
import { addressOf, type Place, placeOf } from "./place";

export interface Page {
  readonly place: Place;
  /** `replace`: without a step back to what was shown. */
  readonly go: (place: Place, replace?: boolean) => void;
  readonly now: number;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("usePage is for what the page shows");
  return page;
}

/** The address, as the reader changes it. */
export function usePlace(): Pick<Page, "place" | "go"> {
  const [query, setQuery] = useState(location.search);
  useEffect(() => {
    const read = () => setQuery(location.search);
    window.addEventListener("popstate", read);
    return () => window.removeEventListener("popstate", read);
  }, []);
  const go = (place: Place, replace = false) => {
    const address = addressOf(place);
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    setQuery(location.search);
  };
  return { place: placeOf(query), go };
}

export const tickMs = 1_000;

export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** "3m". A second at least: the page's clock ticks as often. */
export function ago(at: number, now: number): string {
  return now - at < tickMs ? "a moment" : humanDuration(now - at);
}

/** Names and texts are of others: what would turn or break the line shows as its code. */
export function shown(text: string): string {
  return escapeLine(text);
}
