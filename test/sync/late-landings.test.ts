import type { HpaSpec, ScalingRules } from "../../lib/k8s/hpa";
import { stoppedAt } from "./interrupted";
import { fixture, periodMs, queueSpec, slotAt } from "./sync-fixture";

/**
 * A run announces a scale, is paused before it sends its request, and writes slots later, between two syncs. Nobody
 * knows when: not the run, whose slot is over, and not the sync that finds it.
 *
 *     slot 1       slots 2, 3            slot 3 + 4 s        slot 4       slot 5: 26 s after it was applied    slot 6
 *     announced    nothing to be seen    it is applied            found        still counts, for 30 s         does not
 */
const landsAfterMs = 4_000;

const slowly: ScalingRules = { selectPolicy: "Max", policies: [{ type: "Pods", value: 4, periodSeconds: 30 }] };
const specWith = (behavior: HpaSpec["behavior"]): HpaSpec => ({
  ...queueSpec,
  maxReplicas: 20,
  ...(behavior && { behavior }),
});

async function live({ behavior, replicas, decided, meanwhile }: Given) {
  const day = fixture({ spec: specWith(behavior), replicas });
  const { far: cluster, stopped, wake } = stoppedAt(day.cluster, "putScale", "beforeEffect");

  day.depth(decided * 5);
  const paused = day.sync(1, { cluster });
  await stopped;
  day.depth(meanwhile * 5);
  await day.sync(2);
  await day.sync(3);
  expect(day.cluster.writes).toEqual([]);
  day.clock.now = slotAt(3) + landsAfterMs;
  wake();
  await paused;
  expect(day.cluster.writes).toEqual([{ target: "shop/orders", from: replicas, to: decided }]);

  /** The size after each of the slots 4, 5, …, in which these are recommended. */
  const sizes = async (...recommended: readonly number[]) => {
    const after: (number | undefined)[] = [];
    for (const [i, each] of recommended.entries()) {
      day.depth(each * 5);
      await day.sync(4 + i);
      after.push(day.replicasNow());
    }
    return after;
  };
  return { day, sizes };
}

interface Given {
  readonly behavior: HpaSpec["behavior"];
  readonly replicas: number;
  /** The size that the paused run writes. */
  readonly decided: number;
  /** What is recommended while it is paused. */
  readonly meanwhile: number;
}

describe("a scale-up that is applied late", () => {
  const behavior = { scaleUp: slowly, scaleDown: { stabilizationWindowSeconds: 0 } };
  const growth = { behavior, replicas: 1, decided: 4, meanwhile: 1 };

  test("counts in the scale-up rate for as long as it may have taken effect", async () => {
    const { sizes } = await live(growth);
    // 4 more than the 1 of 30 s ago, until slot 6, when it was found 30 s ago.
    expect(await sizes(20, 20, 20)).toEqual([5, 5, 9]);
  });

  test("scaling down in between makes no room for more", async () => {
    const { sizes } = await live(growth);
    // Down from 4 to 0 in slot 4. 1 is what it was 30 s before slot 5.
    expect(await sizes(0, 20)).toEqual([0, 5]);
  });

  test("says when its intent was stored, and when it was found", async () => {
    const { day, sizes } = await live(growth);
    await sizes(4);
    const announcedAt = slotAt(1) + 200;
    expect(day.state()?.history?.scaleUpEvents).toEqual([{ change: 3, at: announcedAt, foundAt: slotAt(4) + 200 }]);
    expect(day.state()?.status.lastScaleTime).toBe(new Date(announcedAt).toISOString().replace(".200", ""));
  });
});

describe("a scale-down that is applied late", () => {
  const none = { stabilizationWindowSeconds: 0 };

  test("counts in the scale-down rate for as long as it may have taken effect", async () => {
    const behavior = { scaleDown: { ...slowly, ...none } };
    const { sizes } = await live({ behavior, replicas: 12, decided: 9, meanwhile: 12 });
    // 4 fewer than the 12 of 30 s ago, until slot 6.
    expect(await sizes(0, 0, 0)).toEqual([8, 8, 4]);
  });

  test("gives nothing back: it may have been applied at once", async () => {
    const behavior = { scaleUp: slowly, scaleDown: none };
    const { sizes } = await live({ behavior, replicas: 12, decided: 3, meanwhile: 12 });
    expect(await sizes(20, 20, 20)).toEqual([7, 7, 11]);
  });
});

test("slots are as long as the timeline above takes them to be", () => expect(periodMs).toBe(15_000));
