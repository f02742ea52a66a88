import { Fault } from "../../lib/model/fault";
import type { ReadContext } from "../../lib/model/ports/sources";

/** A read context of cluster "prod", whose API server nobody can reach. */
export function contextOf(context: Partial<ReadContext> = {}): ReadContext {
  const api = () => Promise.reject(new Fault("unreachable", "no API server in this test"));
  return { now: Date.now(), signal: new AbortController().signal, cluster: { name: "prod", api }, ...context };
}
