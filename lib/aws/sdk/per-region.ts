import { BoundedMap } from "../../async/bounded-map";

/** AWS has 40. Entries may name others. */
export const mostRegions = 100;

export function perRegion<T>(open: (region: string) => T): (region?: string) => T {
  const known = new BoundedMap<string, T>(mostRegions);
  return (region = "") => {
    const one = known.get(region) ?? open(region);
    known.set(region, one);
    return one;
  };
}
