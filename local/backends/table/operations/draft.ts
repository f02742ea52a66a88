import type { Callback, Item, Part, Store, Write } from "dynalite/db";
import type { TableFiles } from "../files";

/** Reads the table, and keeps one request's writes. */
export interface Draft {
  readonly store: Store;
  readonly writes: Write[];
  readonly found: () => Item | undefined;
}

/** dynalite writes an item and its index entries one by one. A kill between them leaves a wrong index. */
export function draftOf(store: Store): Draft {
  const writes: Write[] = [];
  let found: Item | undefined;

  function part(prefix: string, stored: Part): Part {
    return {
      get(key, callback) {
        stored.get(key, (error, item) => {
          found = item;
          callback(error, item);
        });
      },
      put(key, value, callback) {
        writes.push({ type: "put", key: `${prefix}${key}`, value });
        callback();
      },
      del(key, callback) {
        writes.push({ type: "del", key: `${prefix}${key}` });
        callback();
      },
      // One request writes at a time.
      lock: (_key, run) => run(<T>(callback: Callback<T>) => callback),
    };
  }

  return {
    writes,
    found: () => found,
    store: {
      ...store,
      getItemDb: (table) => part(`item-${table}~`, store.getItemDb(table)),
      getIndexDb: (type, table, index) =>
        part(`index-${type.toLowerCase()}~${table}~${index}~`, store.getIndexDb(type, table, index)),
    },
  };
}

/** Writes all that `run` drafts at once, and nothing if it rejects. Nothing else writes meanwhile. */
export function atomically<T>(files: TableFiles, run: (draft: Draft) => Promise<T>): Promise<T> {
  return files.alone(async () => {
    const draft = draftOf(files.store);
    const result = await run(draft);
    if (draft.writes.length > 0) await files.write(draft.writes);
    return result;
  });
}
