import { dayMs, type EpochMs } from "../k8s/time";
import { isMap } from "../k8s/map";
import { asHpaKey } from "../model/hpa-key";
import { type HpaRef, type NotifiedEntry, type NotifiedStore, refText } from "../model/ports/notified";
import type { Notified, NotifiedHour } from "../model/stored/notified";
import { notifiedItem, notifiedHourItem } from "../model/validators/items";
import { deleteIf, putIf } from "./conditional-write";
import { getItem, getItemsAs, getPartsAs } from "./get-items";
import { decodedItem, fromItem, type Item, textOf, toItem } from "./items/attributes";
import { decodeState } from "./items/hpa-items";
import * as schema from "./items/keys";
import { queryRangeAs, type Table } from "./reads";

/** A stream keeps its records for a day. */
const rememberedMs = 2 * dayMs;
const lastingMs = 30 * dayMs;

const entryParts = {
  ProjectionExpression: "#pk, #sk, #m.#l, #m.#a, #s.#min, #s.#max, #s.#t",
  ExpressionAttributeNames: {
    ...{ "#pk": "pk", "#sk": "sk", "#m": "metadata", "#l": "labels", "#a": "annotations" },
    ...{ "#s": "spec", "#min": "minReplicas", "#max": "maxReplicas", "#t": "scaleTargetRef" },
  },
};

export function openNotifiedStore(table: Table, now: () => EpochMs): NotifiedStore {
  const keysOf = (hpas: readonly HpaRef[], keyOf: (cluster: string, key: HpaRef["key"]) => schema.ItemKey) =>
    hpas.map(({ cluster, key }) => toItem(keyOf(cluster, key)));

  async function replace(before: { readonly version: number } | undefined, item: Item, signal: AbortSignal) {
    const outcome = await putIf(table, item, before === undefined ? "nothing" : { version: before.version }, signal);
    if (outcome.done || before !== undefined || outcome.stored === undefined || isReadable(outcome.stored))
      return outcome.done;
    // An item that cannot be read would be in the way for good.
    const key = { pk: textOf(fromItem(item)["pk"]), sk: textOf(fromItem(item)["sk"]) };
    await deleteIf(table, key, { stored: outcome.stored }, signal);
    return false;
  }

  return {
    async notified(hpas, signal) {
      const items = await getItemsAs(table, keysOf(hpas, schema.notifiedKey), signal, decodeNotified);
      return new Map(items.flatMap((one) => (one === undefined ? [] : [[idOf(one), one] as const])));
    },

    async all(signal) {
      const items = await queryRangeAs(table, schema.allNotified, signal, decodeNotified);
      return items.flatMap((one) => one ?? []);
    },

    async entries(hpas, signal) {
      const keys = keysOf(hpas, schema.hpaItemKey);
      return new Map(await getPartsAs(table, keys, { signal, projection: entryParts }, entryOf));
    },

    async states(hpas, signal) {
      const found = await getItemsAs(table, keysOf(hpas, schema.stateKey), signal, (item) => {
        const state = decodeState(item);
        return "value" in state ? [[idIn(item, schema.statePrefix), state.value] as const] : [];
      });
      return new Map(found.flat());
    },

    replace(before, after, signal) {
      const expiresAt = now() + (Object.keys(after.lasting).length === 0 ? rememberedMs : lastingMs);
      const key = schema.notifiedKey(after.cluster, asHpaKey(after.key));
      return replace(before, encode(key, after, expiresAt), signal);
    },

    async hour(signal) {
      const item = await getItem(table, schema.notifiedHourKey, signal);
      return item && decodeHour(item);
    },

    replaceHour: (before, after, signal) =>
      replace(before, encode(schema.notifiedHourKey, after, now() + rememberedMs), signal),
  };
}

function idOf({ cluster, key }: Notified): string {
  return refText({ cluster, key: asHpaKey(key) });
}

function idIn({ pk, sk }: Item, prefix: string): string {
  const cluster = textOf(pk?.S).slice(schema.clusterPrefix.length);
  return refText({ cluster, key: asHpaKey(textOf(sk?.S).slice(prefix.length)) });
}

function encode(key: schema.ItemKey, content: object, expiresAt: EpochMs): Item {
  return toItem({ ...key, ...content, [schema.expiresAtAttribute]: Math.ceil(expiresAt / 1_000) });
}

/** Undefined: unreadable. */
function decodeNotified(item: Item): Notified | undefined {
  const decoded = decodedItem<Notified>(notifiedItem, fromItem(item));
  if ("broken" in decoded) return undefined;
  const { version, cluster, key, state, lasting } = decoded.value;
  return { version, cluster, key, state, lasting };
}

function decodeHour(item: Item): NotifiedHour | undefined {
  const decoded = decodedItem<NotifiedHour>(notifiedHourItem, fromItem(item));
  if ("broken" in decoded) return undefined;
  const { version, hour, sent, leftOut } = decoded.value;
  return { version, hour, sent, leftOut };
}

function isReadable(item: Item): boolean {
  return (item.sk?.S === schema.notifiedHourKey.sk ? decodeHour(item) : decodeNotified(item)) !== undefined;
}

/** Users write entries by hand: only texts and whole numbers count. */
function entryOf(item: Item): readonly [string, NotifiedEntry] {
  const { metadata, spec } = fromItem(item);
  const { labels, annotations } = isMap(metadata) ? metadata : {};
  const { minReplicas, maxReplicas, scaleTargetRef } = isMap(spec) ? spec : {};
  const { kind, name } = isMap(scaleTargetRef) ? scaleTargetRef : {};
  return [
    idIn(item, schema.hpaPrefix),
    {
      labels: texts(labels),
      annotations: texts(annotations),
      ...(Number.isInteger(minReplicas) && { minReplicas: Number(minReplicas) }),
      ...(Number.isInteger(maxReplicas) && { maxReplicas: Number(maxReplicas) }),
      ...(typeof kind === "string" && typeof name === "string" && { target: { kind, name } }),
    },
  ];
}

function texts(map: unknown): Readonly<Record<string, string>> {
  if (!isMap(map)) return {};
  return Object.fromEntries(
    Object.entries(map).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
