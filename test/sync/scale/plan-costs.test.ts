import fc from "fast-check";
import type { BusyPod } from "../../../lib/readings/read-busy";
import { planCosts } from "../../../lib/sync/scale/plan-costs";

/** "B" busy, "i" idle; with a user's cost "B:5", with ebb's own "i=-1". */
function podsOf(text: string): readonly BusyPod[] {
  return text.split(" ").map((one, index) => {
    const [, state = "", mark = "", cost = ""] = /^([Bi])([:=]?)(-?\d*)$/.exec(one) ?? [];
    const own = mark === "" ? {} : { cost: Number(cost), isOwnCost: mark === "=" };
    const name = `web-${index}`;
    return { name, resourceVersion: "1", isReady: true, isEnding: false, isBusy: state === "B", ...own };
  });
}

const changesOf = (text: string) => planCosts(podsOf(text)).map(({ pod, cost }) => `${pod.name} ${cost ?? "none"}`);

test.each<[string, string, readonly string[]]>([
  ["the fewer busy go up", "B i i i", ["web-0 1"]],
  ["the fewer idle go down", "B i B B", ["web-1 -1"]],
  ["none is busy", "i i i", []],
  ["all are busy", "B B", []],
  ["already so", "B=1 i i", []],
  ["an idle one was busy before", "B=1 i=1 i i", ["web-1 none"]],
  ["another is busy now", "i=1 B i i i", ["web-0 none", "web-1 1"]],
  ["a user's cost of an idle pod is beaten", "B i:50 i i", ["web-0 51"]],
  ["a user's cost of a busy pod is beaten", "B:-50 i B B", ["web-1 -51"]],
  ["a user's costs in the right order need nothing more", "B:5 i:-5", []],
  [
    "a user's costs that contradict: ebb's own pods are in order",
    "B:1 i:9 B i i",
    ["web-2 10", "web-3 -1", "web-4 -1"],
  ],
  ["no cost is beyond the highest", "B i:2147483647 i", ["web-0 2147483647", "web-2 -1"]],
])("%s", (_, text, expected) => {
  expect(changesOf(text)).toEqual(expected);
});

const pod = fc.record({
  isBusy: fc.boolean(),
  owned: fc.constantFrom("none", "own", "foreign"),
  cost: fc.integer({ min: -3, max: 3 }),
});

test("every busy pod costs more than every idle one, unless a user's costs contradict; nobody else's is touched", () => {
  fc.assert(
    fc.property(fc.array(pod, { maxLength: 12 }), (given) => {
      const pods = given.map(({ isBusy, owned, cost }, index): BusyPod => {
        const name = `web-${index}`;
        const kept = owned === "none" ? {} : { cost, isOwnCost: owned === "own" };
        return { name, resourceVersion: "1", isReady: true, isEnding: false, isBusy, ...kept };
      });
      const changes = planCosts(pods);
      const isForeign = ({ isOwnCost }: BusyPod) => isOwnCost === false;
      expect(changes.some(({ pod: changed }) => isForeign(changed))).toBe(false);
      const after = (one: BusyPod) =>
        (changes.find(({ pod: changed }) => changed === one) ?? { cost: one.cost }).cost ?? 0;
      const [busy, idle] = [pods.filter(({ isBusy }) => isBusy), pods.filter(({ isBusy }) => !isBusy)];
      const contradicts = idle.some(
        (one) => isForeign(one) && busy.some((other) => isForeign(other) && after(other) <= after(one)),
      );
      if (contradicts) return;
      for (const one of busy) for (const other of idle) expect(after(one)).toBeGreaterThan(after(other));
      const settled = pods.map((one) => {
        const change = changes.find(({ pod: changed }) => changed === one);
        if (change === undefined) return one;
        const { cost: _, isOwnCost: __, ...plain } = one;
        return change.cost === null ? plain : { ...plain, cost: change.cost, isOwnCost: true };
      });
      expect(planCosts(settled)).toEqual([]);
    }),
  );
});
