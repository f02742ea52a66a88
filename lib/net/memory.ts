import { onAbort } from "../async/within-time";

/**
 * Bounds the bytes of answers in a process. Every answer counts while it is read, and a list's objects until their run
 * ends.
 *
 *     function memory 512 MB
 *       answers 128 MB (a quarter: data takes about twice its bytes, and the function needs the rest)
 *         one cluster 32 MB (a batch has four)
 *           one answer 16 MB
 */
export interface AnswerMemory {
  /** One for each cluster, so that large answers leave the other clusters' shares free. */
  share(): MemoryShare;
}

export interface MemoryShare {
  hold(onEvicted: (why: string) => void): MemoryHold;
}

export interface MemoryHold {
  /** May evict an answer, also this one. A negative number gives bytes back. */
  add(bytes: number): void;
  /** `keep` bytes stay in use until the signal fires. */
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

  /** Evicts the largest answer that is still being read, so the small ones finish. */
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
