import { type HpaKey, hpaKey, splitKey } from "../model/hpa-key";
import { maxMin, treeOf } from "../model/max-min";
import type { DelayedWake } from "./plan-own-wakes";

export interface SharedWakes {
  readonly wakes: readonly DelayedWake[];
  readonly cut: readonly CutCluster[];
}

export interface CutCluster {
  readonly cluster: string;
  readonly wanted: number;
  readonly share: number;
}

interface Owned {
  readonly cluster: string;
  readonly key: HpaKey;
  demand: number;
  seen: number;
}

/**
 * Max-min fair over clusters, namespaces and HPAs; a wake of several counts for the one with the fewest. Those sent are
 * spread over the minute, and rotate.
 *
 * @param plan by shard; iterated twice if there are too many: there may be millions
 */
export function shareWakes(plan: () => Iterable<readonly DelayedWake[]>, most: number, minute: number): SharedWakes {
  const all: DelayedWake[] = [];
  const owners = new Map<string, Owned>();
  let wanted = 0;
  for (const wakes of plan()) {
    wanted += wakes.length;
    if (wanted <= most) all.push(...wakes);
    for (const { message, key } of ownedBy(wakes)) ownerOf(owners, message.cluster, key).demand += 1;
  }
  if (wanted <= most) return { wakes: all, cut: [] };

  const leaves = [...owners.values()];
  const tree = treeOf(leaves.map(({ cluster, key }) => [cluster, ...splitKey(key)]));
  const shares = maxMin(most, { tree, demands: leaves.map(({ demand }) => demand) }, minute);
  const shareOf = new Map(leaves.map((owner, index) => [owner, shares[index] ?? 0]));
  const sent: DelayedWake[] = [];
  for (const wakes of plan())
    for (const { key, ...wake } of ownedBy(wakes)) {
      const owner = ownerOf(owners, wake.message.cluster, key);
      const { demand } = owner;
      const share = shareOf.get(owner) ?? 0;
      const before = ((owner.seen++ + (minute % demand)) % demand) * share;
      // `share` of `demand` steps of this length pass a multiple of `demand`.
      if (Math.floor((before + share) / demand) > Math.floor(before / demand)) sent.push(wake);
    }
  return { wakes: sent, cut: cutOf(leaves, shares) };
}

function ownerOf(owners: Map<string, Owned>, cluster: string, key: HpaKey): Owned {
  const id = JSON.stringify([cluster, key]);
  const known = owners.get(id) ?? { cluster, key, demand: 0, seen: 0 };
  owners.set(id, known);
  return known;
}

/** In the order of their moments. */
function ownedBy(wakes: readonly DelayedWake[]): readonly (DelayedWake & { readonly key: HpaKey })[] {
  const counts = new Map<HpaKey, number>();
  const keysOf = ({ message: { namespace, names } }: DelayedWake) => names.map((name) => hpaKey(namespace, name));
  for (const wake of wakes) for (const key of keysOf(wake)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return wakes
    .toSorted((a, b) => a.message.at - b.message.at)
    .map((wake) => {
      const key = keysOf(wake).reduce((least, one) =>
        (counts.get(one) ?? 0) < (counts.get(least) ?? 0) ? one : least,
      );
      return { ...wake, key };
    });
}

function cutOf(leaves: readonly Owned[], shares: readonly number[]): readonly CutCluster[] {
  const clusters = new Map<string, CutCluster>();
  for (const [index, { cluster, demand }] of leaves.entries()) {
    const { wanted, share } = clusters.get(cluster) ?? { wanted: 0, share: 0 };
    clusters.set(cluster, { cluster, wanted: wanted + demand, share: share + (shares[index] ?? 0) });
  }
  return [...clusters.values()].filter(({ wanted, share }) => share < wanted);
}
