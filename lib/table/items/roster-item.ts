import { createHash } from "node:crypto";
import { isMap } from "../../k8s/map";
import type { EpochMs } from "../../k8s/time";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import type { Roster, RosterHpa } from "../../model/stored/history";
import { type Item, maxItemBytes, textOf, toItem } from "./attributes";
import { expiresAtAttribute, rosterKey } from "./keys";
import { pack, type Packed } from "./packed";
import { type PackedRoom, unpackWhole } from "./unpack";

const mostMetrics = 16;
const longest = 256;

/** An entry's texts have any length. */
export function boundedSpec(hpa: RosterHpa): RosterHpa {
  const fewer = { ...hpa, metrics: hpa.metrics.slice(0, mostMetrics) };
  const text = JSON.stringify(fewer, (_, one: unknown) => (typeof one === "string" ? one.slice(0, longest) : one));
  return JSON.parse(text) as RosterHpa;
}

/** In bytes, also if each character takes three. */
const surelyFit = maxItemBytes / 4;

/** HPAs that do not fit are left out: they have no history. */
export function openRoster(
  shard: { readonly cluster: string; readonly from: string },
  hpas: ReadonlyMap<HpaKey, RosterHpa>,
): { readonly roster: Roster; readonly item: (expiresAt: EpochMs) => Item } {
  const sorted = [...hpas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, hpa]) => [key, boundedSpec(hpa)] as const);
  const text = JSON.stringify(sorted);
  const packed = once(() => packRoster(sorted));
  // Most minutes only compare.
  const left = new Set(text.length <= surelyFit ? [] : packed().leftOut);
  const hash = hashOf(text);
  return {
    roster: rosterOf(
      hash,
      sorted.filter(([key]) => !left.has(key)),
    ),
    item: (expiresAt) => ({
      ...toItem({ ...rosterKey(shard, hash), hash, ...expiring(expiresAt) }),
      ...packed().packed,
    }),
  };
}

/** Metrics go first, and HPAs only if their targets alone do not fit. */
function packRoster(hpas: readonly (readonly [HpaKey, RosterHpa])[]): Packed {
  const [all, bare] = [
    Object.fromEntries(hpas),
    Object.fromEntries(hpas.map(([key, hpa]) => [key, withoutMetrics(hpa)])),
  ];
  const whole = pack(all);
  const least = whole.leftOut.length === 0 ? whole : pack(bare);
  return least === whole || least.leftOut.length > 0 ? least : pack(all, withoutMetrics);
}

export function withoutMetrics(hpa: RosterHpa): RosterHpa {
  return { ...hpa, metrics: [] };
}

function rosterOf(hash: string, hpas: readonly (readonly [HpaKey, RosterHpa])[]): Roster {
  const keys = hpas.map(([key]) => key);
  return { hash, keys, positions: new Map(keys.map((key, at) => [key, at])), hpas: hpas.map(([, hpa]) => hpa) };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Undefined: unreadable. */
export function decodeRoster(item: Item, room: PackedRoom): Roster | undefined {
  const byKey = unpackWhole(item, isRosterHpa, room);
  if (byKey === undefined) return undefined;
  const keys = Object.keys(byKey).sort().map(asHpaKey);
  return rosterOf(
    textOf(item["hash"]?.S),
    keys.map((key) => [key, byKey[key] as RosterHpa]),
  );
}

export function isRosterHpa(value: unknown): value is RosterHpa {
  return isMap(value) && isMap(value["target"]) && Array.isArray(value["metrics"]);
}

export function hashOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("base64url").slice(0, 16);
}

export function expiring(at: EpochMs): Readonly<Record<typeof expiresAtAttribute, number>> {
  return { [expiresAtAttribute]: Math.ceil(at / 1_000) };
}
