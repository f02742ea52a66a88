import type { QueueIndex } from "./queue-index";

/** All queues that an index names, as its item has them in clear: ascending. */
export function namedIn({ hpas }: Pick<QueueIndex, "hpas">): Uint32Array {
  const all = Object.values(hpas).flatMap((hpa) => ("queues" in hpa ? hpa.queues : []));
  return Uint32Array.from(new Set(all)).sort();
}
