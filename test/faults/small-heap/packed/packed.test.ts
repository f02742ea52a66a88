import { functionMegabytes, smallHeap } from "../../../small-heap/small-heap";
import { bombs } from "./bombs";
import type { Answered, Asked } from "./unpacker";

/**
 * A process with a heap as small as a function's lives with items that unpack to far more than they are: slots, wakes,
 * the poller and the commands read them. It must not end, and each of them scales the neighbour's HPA as ever.
 */
const live = smallHeap<Asked, Answered>("test/faults/small-heap/packed/unpacker.ts");

/** Who reads such an item. */
const readers: Readonly<Record<string, readonly string[]>> = {
  LATEST: ["sync", "get hpa"],
  IDLE: ["watch", "doctor"],
  INDEX: ["sync", "wake"],
};

test.each(Object.entries(bombs))(
  "%s",
  async (name, make) => {
    const { broken, replicas, commands, unpacked, megabytes } = await live({ bombs: make() });
    expect(broken).toEqual([]);
    expect(replicas).toEqual([3, 7, 1]);
    // `ebb doctor` ends with 1: it finds no stack.
    expect(commands.filter((line) => !/: (?:0 |1 \d+ things? needs? attention)/.test(line))).toEqual([]);
    const kind = Object.keys(readers).find((one) => name.includes(one)) ?? "";
    expect(unpacked).toEqual(expect.arrayContaining([...(readers[kind] ?? [])]));
    expect(megabytes).toBeLessThan(functionMegabytes);
  },
  120_000,
);
