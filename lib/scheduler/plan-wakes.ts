import type { WakeMessage } from "../model/messages";
import { type EpochMs, minuteMs, periodStart } from "../k8s/time";
import type { ShardRange, Shard } from "../model/stored/shard";
import { nameOf, namespaceOf, type HpaKey, hpaKey, splitKey } from "../model/hpa-key";
import { phaseOf, holdsKey } from "../model/stored/last-observed";
import { maxMin, treeOf } from "../model/max-min";

export interface WokenHpa {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** SQS takes ten messages and 256 KB a call, and a malformed name may have 1 KB. */
const longestNames = 16_000;

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

export interface DelayedWake {
  readonly message: WakeMessage;
  readonly delaySeconds: number;
}

/**
 * For shorter periods, in the minute after the scheduled one: as few wakes as the period needs, shifted by a phase of
 * the HPA's key.
 *
 *     period of the cluster 15 s, of the HPA 6 s      slot        wake     wake  slot
 *                                                     |-----------|--------|-----|--
 *                                                     :00         :05      :11   :15
 */
export function planOwnWakes(
  shard: Pick<Shard, "cluster" | "from" | "to" | "shorterPeriods">,
  periodMs: number,
  scheduledAt: EpochMs,
  now: EpochMs,
): readonly DelayedWake[] {
  const own = Object.entries(shard.shorterPeriods ?? {}) as [HpaKey, number][];
  const inRange = own.filter(([key]) => holdsKey(shard, key));
  const start = (Math.floor(scheduledAt / minuteMs) + 1) * minuteMs;
  const firstSlot = periodStart(start, periodMs);
  const slots = Array.from({ length: Math.ceil((start + minuteMs - firstSlot) / periodMs) }, (_, index) => index);
  return slots.flatMap((index) => {
    const slot = firstSlot + index * periodMs;
    const [from, to] = [Math.max(start, now) - slot, start + minuteMs - slot];
    const byOffset = new Map<number, HpaKey[]>();
    for (const [key, seconds] of inRange)
      for (const offset of offsetsIn(periodMs, { key, seconds }, { from, to })) {
        const keys = byOffset.get(offset);
        if (keys === undefined) byOffset.set(offset, [key]);
        else keys.push(key);
      }
    return [...byOffset].flatMap(([offset, keys]) => {
      const at = slot + offset;
      const hpas = keys.map((key) => ({ cluster: shard.cluster, namespace: namespaceOf(key), name: nameOf(key) }));
      const delaySeconds = Math.ceil((at - now) / 1_000);
      return planWakes(hpas, at).map((message) => ({ message: { ...message, until: slot + periodMs }, delaySeconds }));
    });
  });
}

/**
 * Whole seconds since the slot's start, in [from, to): a slot of an hour has 3,599 of an HPA of one second, and its
 * minute 60.
 */
function offsetsIn(
  periodMs: number,
  { key, seconds }: { readonly key: HpaKey; readonly seconds: number },
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
  const slotSeconds = periodMs / 1_000;
  const wakes = Math.ceil(slotSeconds / seconds) - 1;
  const earliest = Math.max(1, slotSeconds - wakes * seconds);
  const first = earliest + (phaseOf(key) % (seconds - earliest + 1));
  const before = (ms: number) => Math.min(Math.max(0, Math.ceil((ms / 1_000 - first) / seconds)), Math.max(0, wakes));
  const [begin, end] = [before(from), before(to)];
  return Array.from({ length: Math.max(0, end - begin) }, (_, index) => (first + (begin + index) * seconds) * 1_000);
}

interface SharedWakes {
  readonly wakes: readonly DelayedWake[];
  readonly cut: readonly CutCluster[];
}

interface CutCluster {
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
 * Max-min fair over clusters, namespaces and HPAs. Those sent are spread over the minute, and rotate.
 *
 * @param plan perhaps millions; iterated twice if too many
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
