import { BoundedMap } from "../../async/bounded-map";

/** AWS has 40. Entries may name others, and a process lives long. */
export const mostRegions = 100;

/** Opens one for each region, with its first use. Those that were used last are kept. */
export function perRegion<T>(open: (region: string) => T): (region?: string) => T {
  const known = new BoundedMap<string, T>(mostRegions);
  return (region = "") => {
    const one = known.get(region) ?? open(region);
    known.set(region, one);
    return one;
  };
}
