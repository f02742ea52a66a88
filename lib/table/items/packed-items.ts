import { cutText } from "../../k8s/go-text";
import { isMap } from "../../k8s/map";
import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../../model/hpa-key";
import { maxMin, treeOf } from "../../model/max-min";
import type { Latest, LatestValues } from "../../model/stored/latest";
import type { ShardRange } from "../../model/stored/shard";
import { latestData, idleData } from "../../model/validators/items";
import { type Item, toItem } from "./attributes";
import { expiresAtAttribute, latestKey, idleKey } from "./keys";
import { pack } from "./packed";
import { type UnpackOptions, unpack } from "./unpack";
import type { Idle, IdleHpa } from "../../model/stored/idle";

/** An item that no slot writes any more belongs to a deleted shard. */
export const lifetimeMs = 24 * 60 * 60 * 1000;

/** If it does not fit, HPAs that show more than their shares show less of it. */
export function encodeLatest(shard: Pick<ShardRange, "cluster" | "from">, latest: Latest, now: EpochMs): Item {
  const expiresAt = Math.ceil((now + lifetimeMs) / 1000);
  return { ...toItem({ ...latestKey(shard), [expiresAtAttribute]: expiresAt }), ...pack(latest, cutLatest).packed };
}

/** Undefined: unreadable. */
export function decodeLatest(
  item: Item,
  options: UnpackOptions,
): readonly (readonly [HpaKey, LatestValues])[] | undefined {
  return unpack<LatestValues>(item, latestData, options);
}

/** A shorter text is cut no further. */
const leastText = 128;

/** In this order. The status stays. */
const sheds: readonly ((values: LatestValues) => LatestValues)[] = [
  (values) => values,
  ({ decision, ...values }) => ({
    ...values,
    ...(decision && { decision: { ...decision, steps: decision.steps.filter(({ stage }) => stage !== "metric") } }),
  }),
  ({ decision: _, ...values }) => values,
  ({ decision: _, status: { currentMetrics: __, ...status }, ...values }) => ({ ...values, status }),
];

/** Undefined: not even the status fits. */
function cutLatest(values: LatestValues, bytes: number): LatestValues | undefined {
  for (const shed of sheds) {
    const cut = withTextsIn(shed(values), bytes);
    if (cut !== undefined) return cut;
  }
  return undefined;
}

function withTextsIn(values: LatestValues, bytes: number): LatestValues | undefined {
  const texts = textsIn(values);
  const demands = texts.map(jsonBytes);
  const room = bytes - jsonBytes(values) + demands.reduce((sum, demand) => sum + demand, 0);
  if (room < 0) return undefined;
  const shares = maxMin(room, { tree: treeOf(texts.map((_, index) => [String(index)])), demands }, 0);
  if (shares.some((share, index) => share < Math.min(leastText, demands[index] ?? 0))) return undefined;
  let at = 0;
  return mapTexts(values, (text) => {
    const [share = 0, demand = 1] = [shares[at], demands[at]];
    at += 1;
    // An escape takes up to six bytes for one.
    return share >= demand ? text : cutText(text, Math.floor(((share - 2) * Buffer.byteLength(text)) / demand));
  }) as LatestValues;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]));
}

/** If it does not fit, HPAs that need more than their shares are left to their slots. */
export function encodeIdle(
  shard: Pick<ShardRange, "cluster" | "from">,
  idle: Idle,
  now: EpochMs,
): { readonly item: Item; readonly leftOut: readonly HpaKey[] } {
  const expiresAt = Math.ceil((now + lifetimeMs) / 1000);
  const { packed, leftOut } = pack(idle);
  return { item: { ...toItem({ ...idleKey(shard), [expiresAtAttribute]: expiresAt }), ...packed }, leftOut };
}

/** Undefined: unreadable. */
export function decodeIdle(item: Item, options: UnpackOptions): readonly (readonly [HpaKey, IdleHpa])[] | undefined {
  return unpack<IdleHpa>(item, idleData, options);
}
