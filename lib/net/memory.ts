import { onAbort } from "../async/within-time";

/**
 * How many bytes of answers a process holds at a time. Every answer counts while it is read, and what is kept of a list
 * counts until the run that asked for it ends. So many large answers at once are bounded like a single one.
 *
 *     function memory 512 MB
 *       answers 128 MB (a quarter: data takes about twice its bytes, and the function needs the rest)
 *         one cluster 32 MB (a batch has four)
 *           one answer 16 MB
 */
export interface AnswerMemory {
  /** One for each cluster, so that a cluster with large answers leaves the others theirs. */
  share(): MemoryShare;
}

export interface MemoryShare {
  /** `onEvicted` is called at most once, when this answer is the largest and there is no room for all. */
  hold(onEvicted: (why: string) => void): MemoryHold;
}

/** The bytes of one answer. */
export interface MemoryHold {
  /** May evict an answer, also this one. A negative number gives bytes back. */
  add(bytes: number): void;
  /** The answer is read. `keep` bytes of it stay in memory until the signal fires. */
  end(keep?: number, until?: AbortSignal): void;
}

interface Held {
  bytes: number;
  readonly evict: (why: string) => void;
}

export function openMemory(functionBytes: number): AnswerMemory {
  const all = functionBytes / 4;
  const ofCluster = all / 4;
  const ofAnswer = ofCluster / 2;
  let used = 0;

  /** The largest answer that is still being read makes room. The small ones beside it go on. */
  function makeRoom(reading: ReadonlySet<Held>, remove: (held: Held) => void, why: string): boolean {
    const [largest] = [...reading].sort((a, b) => b.bytes - a.bytes);
    if (largest === undefined) return false;
    remove(largest);
    largest.evict(why);
    return true;
  }

  function share(): MemoryShare {
    const reading = new Set<Held>();
    let usedHere = 0;
    const count = (bytes: number) => {
      used += bytes;
      usedHere += bytes;
    };
    const remove = (held: Held) => {
      if (reading.delete(held)) count(-held.bytes);
    };
    const megabytes = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MB`;

    return {
      hold(onEvicted) {
        const held: Held = { bytes: 0, evict: onEvicted };
        reading.add(held);
        return {
          add(bytes) {
            if (!reading.has(held)) return;
            held.bytes += bytes;
            count(bytes);
            if (held.bytes > ofAnswer) {
              remove(held);
              held.evict(`the answer needs more than the ${megabytes(ofAnswer)} of memory that one may have`);
            }
            const why = `the answers that are read at the same time need more than ${megabytes(ofCluster)} of memory`;
            while ((usedHere > ofCluster || used > all) && makeRoom(reading, remove, why));
          },
          end(keep = 0, until) {
            if (!reading.has(held)) return;
            remove(held);
            if (keep === 0 || until === undefined || until.aborted) return;
            count(keep);
            onAbort(until, () => count(-keep));
          },
        };
      },
    };
  }

  return { share };
}
