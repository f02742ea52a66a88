import type { WakeMessage } from "../model/messages";
import type { EpochMs } from "../k8s/time";
import type { ShardRange } from "../model/stored/state";

export interface WokenHpa {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** SQS takes ten messages and 256 KB a call, and a malformed name may have 1 KB. */
const longestNames = 16_000;

/** One for each namespace, or more if many HPAs changed at once. */
export function planWakes(hpas: readonly WokenHpa[], at: EpochMs): readonly WakeMessage[] {
  const byNamespace = new Map<string, { cluster: string; namespace: string; names: Set<string> }>();
  for (const { cluster, namespace, name } of hpas) {
    const id = JSON.stringify([cluster, namespace]);
    const known = byNamespace.get(id);
    if (known === undefined) byNamespace.set(id, { cluster, namespace, names: new Set([name]) });
    else known.names.add(name);
  }
  return [...byNamespace.values()].flatMap(({ cluster, namespace, names }) =>
    inParts([...names]).map((part) => ({ cluster, namespace, names: part, at })),
  );
}

function inParts(names: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let room = 0;
  for (const name of names) {
    const bytes = Buffer.byteLength(JSON.stringify(name));
    if (bytes > room) {
      parts.push([]);
      room = longestNames;
    }
    parts.at(-1)?.push(name);
    room -= bytes + 1;
  }
  return parts;
}

/** The HPAs' namespace within the shard, so that a wake and a slot know the same other HPAs. */
export function wokenRange(
  { cluster, namespace }: Pick<WakeMessage, "cluster" | "namespace">,
  shard: ShardRange | undefined,
): ShardRange {
  const from = `${namespace}/`;
  const to = `${namespace}0`; // "0" is the character after "/"
  if (shard === undefined) return { cluster, from, to };
  return {
    cluster,
    from: shard.from > from ? shard.from : from,
    to: shard.to !== null && shard.to < to ? shard.to : to,
  };
}
