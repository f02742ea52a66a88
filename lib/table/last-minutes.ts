import type { HistoryReader, ShardMinute } from "../model/ports/history";
import type { Roster } from "../model/stored/history";
import { getItems } from "./get-items";
import { decodeMinute } from "./items/history-items";
import { type ItemKey, minuteKey, rosterKey } from "./items/keys";
import { decodeRoster } from "./items/roster-item";
import type { Table } from "./reads";

/** In bytes, for one reading. */
const mostMemory = 2 ** 30;

interface KnownRoster {
  readonly roster: Roster;
  readonly bytes: number;
}

/** Keeps the rosters of the last reading, which change with the entries alone: a scrape a minute reads each once. */
export function openLastMinutes(table: Table): HistoryReader["lastMinutes"] {
  let known: ReadonlyMap<string, KnownRoster> = new Map();

  return async (refs, signal) => {
    const room = { left: mostMemory };
    const items = await getItems(
      table,
      refs.map(({ cluster, from, slot }) => minuteKey({ cluster, from }, slot)),
      signal,
    );
    const minutes = refs.flatMap(({ cluster }, index) => {
      const minute = items[index] && decodeMinute(items[index], room);
      return minute === undefined ? [] : [{ cluster, minute }];
    });
    const rosters = new Map<string, KnownRoster>();
    const unread = new Map<string, ItemKey>();
    for (const one of minutes) {
      const { cluster, minute } = one;
      const found = known.get(idOf(one));
      if (found === undefined) unread.set(idOf(one), rosterKey({ cluster, from: minute.from }, minute.roster));
      else rosters.set(idOf(one), found);
    }
    for (const { bytes } of rosters.values()) room.left = Math.max(0, room.left - bytes);
    const read = await getItems(table, [...unread.values()], signal);
    [...unread.keys()].forEach((id, index) => {
      const before = room.left;
      const roster = read[index] && decodeRoster(read[index], room);
      if (roster !== undefined) rosters.set(id, { roster, bytes: before - room.left });
    });
    known = rosters;
    return minutes.flatMap((one) => {
      const found = rosters.get(idOf(one));
      return found === undefined ? [] : [{ ...one, roster: found.roster }];
    });
  };
}

function idOf({ cluster, minute: { from, roster } }: Omit<ShardMinute, "roster">): string {
  return JSON.stringify([cluster, from, roster]);
}
