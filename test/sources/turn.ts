import { Fault } from "../../lib/model/fault";
import type { SourceTurn } from "../../lib/model/ports/sources";

/** A turn of cluster "prod", whose API server nobody can reach. */
export function turnOf(turn: Partial<SourceTurn> = {}): SourceTurn {
  const api = () => Promise.reject(new Fault("unreachable", "no API server in this test"));
  return { now: Date.now(), signal: new AbortController().signal, cluster: { name: "prod", api }, ...turn };
}
