import fc from "fast-check";
import { asHpaKey } from "../../lib/model/hpa-key";
import { isClassDue, periodClass } from "../../lib/model/stored/last-observed";
import { document, fixture, periodMs, queueSpec, slotAt } from "./sync-fixture";

const key = asHpaKey("shop/orders");

interface Windows {
  readonly up: number;
  readonly down: number;
}

/**
 * Upstream's controller with this HPA's period: every recommendation is in a list with its moment.
 * Source: stabilizeRecommendationWithBehaviors, pkg/controller/podautoscaler/horizontal.go
 */
function upstream(replicas: number, windows: Windows) {
  let current = replicas;
  const list: { readonly replicas: number; readonly at: number }[] = [];
  return (depth: number, at: number): number => {
    if (list.length === 0) list.push({ replicas: current, at });
    const wanted = depth / 5;
    const within = (seconds: number) => list.filter((one) => one.at > at - seconds * 1_000).map((one) => one.replicas);
    const least = Math.min(wanted, ...within(windows.up));
    const most = Math.max(wanted, ...within(windows.down));
    list.push({ replicas: wanted, at });
    current = current < least ? least : current > most ? most : current;
    return current;
  };
}

const seconds = fc.constantFrom(16, 20, 30, 45, 60, 75, 120);
const windows = fc.record({ up: fc.constantFrom(0, 30, 90), down: fc.constantFrom(0, 30, 60, 100, 200, 300) });
/** Each lasts for some slots. Of 1 to 9 whole replicas, no two are within the tolerance of each other. */
const depth = fc.integer({ min: 1, max: 9 }).map((replicas) => 5 * replicas);
const depths = fc.array(fc.record({ depth, slots: fc.integer({ min: 1, max: 12 }) }), {
  minLength: 4,
  maxLength: 10,
});

test("an HPA decides as upstream's controller with its period does, slot by slot", async () => {
  await fc.assert(
    fc.asyncProperty(seconds, windows, depths, async (syncPeriodSeconds, windows, depths) => {
      const policies = [{ type: "Pods", value: 100, periodSeconds: 15 }];
      const spec = {
        ...{ ...queueSpec, minReplicas: 1, syncPeriodSeconds },
        behavior: {
          scaleUp: { policies, stabilizationWindowSeconds: windows.up },
          scaleDown: { policies, stabilizationWindowSeconds: windows.down },
        },
      };
      const day = fixture({ spec, replicas: 4 });
      const scaleTargetRef = { ...queueSpec.scaleTargetRef, name: "quick" };
      day.store.documents.set("prod shop/quick", document({ ...queueSpec, scaleTargetRef }, "shop/quick"));
      day.cluster.add("shop/quick", 1);
      const own = periodClass(key, syncPeriodSeconds, periodMs)!;
      const expected = upstream(4, windows);
      const found: [number, number | undefined][] = [];
      const wanted: [number, number][] = [];
      let size = 4;
      const all = depths.flatMap(({ depth, slots }) => Array<number>(slots).fill(depth));
      for (const [index, depth] of all.entries()) {
        const slot = index + 1;
        day.depth(depth);
        await day.sync(slot);
        if (slot === 1 || isClassDue(own, { after: slotAt(slot - 1), until: slotAt(slot) }))
          size = expected(depth, slotAt(slot) + 200);
        found.push([slot, day.replicasNow()]);
        wanted.push([slot, size]);
      }
      expect(found).toEqual(wanted);
    }),
    { numRuns: 12 },
  );
});
