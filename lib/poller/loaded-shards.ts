import { splitKey } from "../model/hpa-key";
import { maxMinWhole, treeOf } from "../model/max-min";
import { measure } from "../model/size";
import type { Idle, IdleHpa } from "../model/stored/idle";
import type { Shard } from "../model/stored/shard";

export interface LoadedShard {
  readonly mark: string;
  readonly shard: Shard;
  readonly idle: Idle;
}

interface Held extends LoadedShard {
  readonly hpas: readonly HeldHpa[];
  readonly memory: number;
}

interface HeldHpa {
  readonly key: string;
  readonly hpa: IdleHpa;
  readonly memory: number;
}

interface Rules {
  readonly round: () => number;
  /** So many HPAs did not fit. Called once for each item. */
  readonly leftOut: (shard: Shard, hpas: number) => void;
}

/** Full memory is cut to this part: each cut looks at all HPAs. */
const keptPart = 7 / 8;

/** When the memory is full, clusters, namespaces and HPAs get fair shares. */
export function openLoadedShards(mostMemory: number, { round, leftOut }: Rules) {
  const held = new Map<string, Held>();
  const reported = new Map<string, string>();
  let memory = 0;

  function makeRoom(): void {
    const all = [...held].flatMap(([id, { shard, hpas }]) =>
      hpas.map((hpa) => ({ ...hpa, id, cluster: shard.cluster })),
    );
    const tree = treeOf(all.map(({ cluster, key }) => [cluster, ...splitKey(key)]));
    const claims = { tree, demands: all.map((hpa) => hpa.memory) };
    const taken = maxMinWhole(mostMemory * keptPart, claims, round());
    const kept = new Map<string, HeldHpa[]>([...held.keys()].map((id) => [id, []]));
    for (const [index, { id, key, hpa, memory }] of all.entries())
      if (taken[index]) kept.get(id)?.push({ key, hpa, memory });
    for (const [id, hpas] of kept) keep(id, hpas);
  }

  /** The mark stays: omitted HPAs are not read again before the item changes. */
  function keep(id: string, hpas: readonly HeldHpa[]): void {
    const known = held.get(id);
    if (known === undefined || hpas.length === known.hpas.length) return;
    put(id, { ...known, hpas, idle: Object.fromEntries(hpas.map(({ key, hpa }) => [key, hpa])) });
    if (reported.get(id) !== known.mark) leftOut(known.shard, known.hpas.length - hpas.length);
    reported.set(id, known.mark);
  }

  function put(id: string, shard: Omit<Held, "memory">): void {
    const own = shard.hpas.reduce((sum, hpa) => sum + hpa.memory, 0);
    memory += own - (held.get(id)?.memory ?? 0);
    held.set(id, { ...shard, memory: own });
  }

  return {
    markOf: (id: string): string | undefined => held.get(id)?.mark,
    ids: (): readonly string[] => [...held.keys()],
    values: (): Iterable<LoadedShard> => held.values(),
    delete(id: string): void {
      memory -= held.get(id)?.memory ?? 0;
      held.delete(id);
      reported.delete(id);
    },
    add(id: string, loaded: LoadedShard): void {
      const hpas = Object.entries(loaded.idle).map(([key, hpa]) => ({ key, hpa, memory: measure(hpa).memory }));
      put(id, { ...loaded, hpas });
      if (memory > mostMemory) makeRoom();
    },
  };
}
