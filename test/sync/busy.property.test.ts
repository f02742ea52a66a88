import fc from "fast-check";
import type { HpaSpec } from "../../lib/k8s/hpa";
import type { Pod } from "../../lib/k8s/objects";
import { Fault } from "../../lib/model/fault";
import type { Cluster } from "../../lib/model/ports/cluster";
import { fixture, queueSpec, slotAt } from "./sync-fixture";

/**
 * Stories of busy pods: in each slot, the queue wants another size, jobs begin and end, and the run may meet something.
 * After it, a ReplicaSet controller makes pods, or removes those with the lowest cost. Its cache has not seen the costs
 * of this slot: only a size that has waited for a minute comes right after them.
 */
const cost = "controller.kubernetes.io/pod-deletion-cost";
const mark = "worker.example/busy";
const most = 8;
const behavior = {
  scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: most, periodSeconds: 15 }] },
  scaleDown: { stabilizationWindowSeconds: 0 },
};
const spec: HpaSpec = { ...queueSpec, minReplicas: 0, maxReplicas: most, behavior };

const calls = ["listWorkers", "setDeletionCost", "putScale", "getScale"] as const;
const incidents = ["diesBefore", "diesAfter", "refused", "lost", "conflict", "moves"] as const;

const slotOf = fc.record({
  wanted: fc.nat(most),
  /** Pods whose job begins or ends, by position. */
  turns: fc.uniqueArray(fc.nat(most - 1), { maxLength: 4 }),
  /** The controller comes to it in a later slot. Until then, no job begins. */
  isLate: fc.boolean(),
  incident: fc.option(
    fc.record({ call: fc.constantFrom(...calls), nth: fc.nat(3), what: fc.constantFrom(...incidents) }),
    { freq: 2 },
  ),
});
type Slot = typeof slotOf extends fc.Arbitrary<infer T> ? T : never;

function storyOf() {
  const day = fixture({ spec, replicas: most });
  const annotations = { "ebb.dev/busy": `annotation: ${mark}`, "ebb.dev/spare-busy": "true" };
  const metadata = { namespace: "shop", name: "orders", annotations };
  day.store.documents.set("prod shop/orders", {
    ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata, spec },
  });
  const { cluster } = day;
  let version = 1_000;
  let made = 0;
  let index = 0;
  const changed = (pod: Pod, patch: Partial<Pod["metadata"]>): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, ...patch, resourceVersion: String(++version) },
  });
  const isBusy = ({ metadata: { annotations = {} } }: Pod) => annotations[mark] !== undefined;
  const costOf = ({ metadata: { annotations = {} } }: Pod) => Number(annotations[cost] ?? 0);
  const costsNow = () => new Map(cluster.pods.map((pod) => [pod.metadata.name, costOf(pod)]));

  function reconcile(seen = costsNow()): void {
    const size = day.replicasNow() ?? 0;
    const scale = cluster.scales.get("shop/orders");
    if (scale !== undefined) scale.statusReplicas = size;
    while (cluster.pods.length < size) {
      const labels = { app: "orders" };
      const pod: Pod = {
        metadata: { name: `orders-${++made}`, namespace: "shop", labels },
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      };
      cluster.pods.push(changed(pod, {}));
    }
    const seenCost = ({ metadata }: Pod) => seen.get(metadata.name) ?? 0;
    const ranked = [...cluster.pods].sort((a, b) => seenCost(a) - seenCost(b));
    const gone = ranked.slice(0, cluster.pods.length - size);
    expect(gone.filter(isBusy)).toEqual([]);
    cluster.pods = cluster.pods.filter((pod) => !gone.includes(pod));
  }

  function turn(positions: readonly number[]): void {
    const mayBegin = cluster.pods.length <= (day.replicasNow() ?? 0);
    cluster.pods = cluster.pods.map((pod, position) => {
      if (!positions.includes(position) || (!mayBegin && !isBusy(pod))) return pod;
      const { [mark]: was, ...others } = pod.metadata.annotations ?? {};
      return changed(pod, { annotations: was === undefined ? { ...others, [mark]: "job" } : others });
    });
  }

  /** The run meets it at the n-th of these calls, or ends there. */
  function meeting({ call, nth, what }: NonNullable<Slot["incident"]>): { far: Cluster; died: Promise<void> } {
    let end: () => void;
    const died = new Promise<void>((resolve) => (end = resolve));
    let left = nth;
    const never = () => (end(), new Promise<never>(() => undefined));
    const methods = cluster as unknown as Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;
    const real = (...given: unknown[]) => methods[call]?.(...given);
    const met = async (...given: unknown[]): Promise<unknown> => {
      if (left-- !== 0) return real(...given);
      switch (what) {
        case "diesBefore":
          return never();
        case "diesAfter":
          await real(...given);
          return never();
        case "refused":
          throw new Fault("forbidden", "refused by the story");
        case "lost":
          await real(...given);
          throw new Fault("lost", "lost by the story");
        case "conflict":
          throw new Fault("conflict", "a conflict of the story");
        case "moves":
          cluster.touch("shop/orders");
          return real(...given);
      }
    };
    return { far: { ...cluster, [call]: met }, died };
  }

  async function play({ wanted, turns, isLate, incident }: Slot): Promise<void> {
    day.depth(wanted * 5);
    turn(turns);
    const met = incident === null ? undefined : meeting(incident);
    const { since = Infinity } = day.state()?.deletionCosts ?? {};
    const isOverdue = slotAt(index + 1) + 200 - since >= 60_000;
    const seen = isOverdue ? undefined : costsNow();
    const run = day.sync((index += 1), met && { cluster: met.far });
    await (met === undefined ? run : Promise.race([run, met.died]));
    // What a dead run had sent arrives within its slot.
    await new Promise(setImmediate);
    const scale = cluster.scales.get("shop/orders");
    if (isLate && scale !== undefined) scale.statusReplicas = cluster.pods.length;
    else reconcile(seen);
  }
  reconcile();
  return { ...day, play, busyNow: () => cluster.pods.filter(isBusy).length };
}

test("no story removes a busy pod; in the calm, the size is right and no cost of ebb's is left", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(slotOf, { minLength: 1, maxLength: 12 }), fc.nat(most), async (slots, last) => {
      const story = storyOf();
      for (const slot of slots) await story.play(slot);
      for (let slot = 0; slot < 16; slot++)
        await story.play({ wanted: last, turns: [], isLate: false, incident: null });
      expect(story.replicasNow()).toBe(Math.max(last, story.busyNow()));
      expect(story.cluster.pods.filter(({ metadata }) => metadata.annotations?.[cost] !== undefined)).toEqual([]);
      expect(story.state()?.deletionCosts).toBeUndefined();
    }),
    { numRuns: 40 },
  );
});
