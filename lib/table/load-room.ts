import type { Size } from "../model/size";

/** What is kept of one item of a load. */
export interface LoadedValue<T> {
  readonly value: T;
}

/**
 * The memory that one load may keep. When the items need more, the largest give way, whatever the order in which they
 * arrive: one large entry, or a thousand, cost themselves and not the small ones beside them. Of equal ones, the first
 * in key order stay, so that every slot decides the same.
 */
export interface LoadRoom {
  /** `instead`: what takes the item's place, given the reason. */
  keep<T>(
    item: { readonly key: string; readonly size: Size; readonly value: T },
    instead: (why: string) => T,
  ): LoadedValue<T>;
  /** What is kept, in bytes. */
  used(): number;
}

interface Held {
  readonly key: string;
  readonly memory: number;
  readonly giveWay: () => void;
}

export function openLoadRoom(mostMemory: number): LoadRoom {
  /** Ascending. */
  const held: Held[] = [];
  let used = 0;

  function insert(one: Held): void {
    let [low, high] = [0, held.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(held[middle], one)) low = middle + 1;
      else high = middle;
    }
    held.splice(low, 0, one);
    used += one.memory;
  }

  return {
    keep({ key, size, value }, instead) {
      const kept = { value };
      const giveWay = () => (kept.value = instead(refusal(size, mostMemory)));
      insert({ key, memory: size.memory, giveWay });
      while (used > mostMemory) {
        const largest = held.pop();
        if (largest === undefined) break;
        used -= largest.memory;
        largest.giveWay();
      }
      return kept;
    },
    used: () => used,
  };
}

function isBefore(held: Held | undefined, one: Held): boolean {
  if (held === undefined) return false;
  return held.memory < one.memory || (held.memory === one.memory && held.key < one.key);
}

/** The same text in each slot, so that it is reported once. */
function refusal({ bytes }: Size, mostMemory: number): string {
  const most = `${Math.floor(mostMemory / 2 ** 20)} MB of memory`;
  const what = `expected the HPAs, states and sources of a shard to take at most ${most} together, they take more`;
  return `${what}, and this one of ${bytes} bytes is among the largest (a limit of ebb): make it shorter, or give the function more memory`;
}
