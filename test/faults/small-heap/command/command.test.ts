import { functionMegabytes, smallHeap } from "../../../small-heap/small-heap";
import type { Asked, Listed } from "./lister";

/**
 * A command reads all entries of a cluster. One team's 250 MB of them must not end it: the largest give way, by name,
 * and it shows all others.
 */
const run = smallHeap<Asked, Listed>("test/faults/small-heap/command/lister.ts");
const entries = 2_000;

const rows: readonly (readonly [string, readonly string[], (listed: Listed) => void])[] = [
  [
    "ebb get hpa",
    ["get", "hpa", "-A"],
    ({ lines, small, exitCode }) => {
      expect([exitCode, small.length]).toEqual([0, 1]);
      expect(lines).toBeGreaterThan(entries);
    },
  ],
  [
    "ebb explain",
    ["explain", "hpa", "small", "-n", "shop"],
    ({ small, exitCode }) => {
      expect([exitCode, small[0]]).toEqual([0, "shop/small stays at 3 replicas, as the metrics ask for."]);
    },
  ],
  ["ebb status", ["status"], ({ refused }) => expect(refused).toBeGreaterThan(entries / 2)],
  ["ebb doctor", ["doctor"], ({ stderr }) => expect(stderr).toMatch(/needs? attention/)],
];

test.each(rows)(
  "%s beside 250 MB of one team's entries",
  async (_name, verb, judge) => {
    const listed = await run({ entries, verb });
    judge(listed);
    expect(listed.megabytes).toBeLessThan(functionMegabytes);
  },
  600_000,
);
