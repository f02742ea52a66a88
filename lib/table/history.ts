import { type EpochMs, dayMs } from "../k8s/time";
import type { HistoryReader, HistoryWriter } from "../model/ports/history";
import { type HistoryMinute, type Roster, restMs } from "../model/stored/history";
import type { HistoryRef } from "../model/stored/shard";
import { putIf } from "./conditional-write";
import { type Item, textOf } from "./items/attributes";
import { decodeBlock, decodeMinute, encodeBlock, encodeMinute, rowsOf } from "./items/history-items";
import { decodeRoster, openRoster } from "./items/roster-item";
import { blockKeys, minuteKey, minuteKeys, rosterKey } from "./items/keys";
import { getItem, getItems } from "./get-items";
import { queryNewest, queryRangeAs, type Table } from "./reads";
import { itemsPerBatch, putItems } from "./write-items";

/** The last one of a shard at rest says what its HPAs are. */
const minuteLifetimeMs = restMs + dayMs;
/** In bytes, for one reading. 1,000 HPAs take some 200 KB a minute. */
const mostMemory = 128 * 2 ** 20;
const mostShards = 8;

const noMinutes: ReadonlyMap<EpochMs, HistoryMinute> = new Map();

export function openHistory(
  table: Table,
  { now, days }: { readonly now: () => EpochMs; readonly days: number },
): HistoryWriter & Omit<HistoryReader, "lastMinutes"> {
  const lasting = () => now() + days * dayMs + restMs;

  return {
    days,

    async putRoster(shard, hpas, known, signal) {
      const { roster, item } = openRoster(shard, hpas);
      if (roster.hash !== known) await putItems(table, [item(lasting())], signal);
      return roster;
    },

    async putMinute({ cluster, from, to }, { columns, known, ...minute }, signal) {
      const rows = rowsOf(columns, minute.roster);
      if (rows.hash === known) return known;
      const item = encodeMinute(cluster, { ...minute, from, to }, rows, now() + minuteLifetimeMs);
      const outcome = await putIf(table, item, "nothing", signal);
      return outcome.done ? rows.hash : textOf(outcome.stored?.["hash"]?.S);
    },

    async chain(cluster, last, since, signal) {
      const shards = new Map<string, ReadonlyMap<EpochMs, HistoryMinute>>();
      const room = { left: mostMemory };
      const minutesOf = async (from: string) => {
        const range = minuteKeys({ cluster, from }, since);
        const found = await queryRangeAs(table, range, signal, (item) => decodeMinute(item, room));
        return new Map(found.flatMap((one) => (one?.from === from ? [[one.slot, one] as const] : [])));
      };
      const found = new Map<string, HistoryMinute>();
      let isWhole = true;
      const left: HistoryRef[] = [...last];
      for (let ref = left.pop(); ref !== undefined; ref = left.pop()) {
        const { from, slot } = ref;
        const id = `${slot} ${from}`;
        if (found.has(id)) continue;
        let minute: HistoryMinute | undefined;
        if (slot >= since) {
          const known = shards.get(from) ?? (shards.size < mostShards ? await minutesOf(from) : noMinutes);
          shards.set(from, known);
          minute = known.get(slot);
        } else {
          const item = await getItem(table, minuteKey({ cluster, from }, slot), signal);
          minute = item && decodeMinute(item, room);
        }
        if (minute === undefined) isWhole &&= slot < since;
        else {
          found.set(id, minute);
          if (slot >= since) left.push(...minute.previous);
        }
      }
      const minutes = [...found.values()].sort((a, b) => a.slot - b.slot);
      const named = new Map(minutes.map(({ from, roster }) => [roster, rosterKey({ cluster, from }, roster)]));
      const items = await getItems(table, [...named.values()], signal);
      const rosters = new Map<string, Roster>();
      [...named.keys()].forEach((hash, index) => {
        const roster = items[index] && decodeRoster(items[index], room);
        if (roster !== undefined) rosters.set(hash, roster);
      });
      return { since, minutes, byRef: ({ from, slot }) => found.get(`${slot} ${from}`), rosters, isWhole };
    },

    async putBlocks(cluster, blocks, signal) {
      for (let start = 0; start < blocks.length; start += itemsPerBatch) {
        const batch = blocks.slice(start, start + itemsPerBatch);
        await putItems(
          table,
          batch.map((block) => encodeBlock(cluster, block, block.start + days * dayMs + restMs)),
          signal,
        );
      }
    },

    async blocks({ cluster, key }, { since, until }, signal) {
      const room = { left: mostMemory };
      const decode = (item: Item) => decodeBlock(item, room) ?? [];
      const earlier = blockKeys(cluster, key, -1, since - 1);
      const [before, found] = await Promise.all([
        queryNewest(table, earlier, 1, signal),
        queryRangeAs(table, blockKeys(cluster, key, since, until), signal, decode),
      ]);
      return [...before.map(decode), ...found].flat();
    },
  };
}
