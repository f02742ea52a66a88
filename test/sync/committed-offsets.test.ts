import type { MetricSources, SourceReading } from "../../lib/model/ports/sources";
import { Fault } from "../../lib/model/fault";
import { queryKey } from "../../lib/model/metric/query-key";
import { fixture, metricValue, queueSpec, slotAt, sourceOf } from "./sync-fixture";

/** A source that must know where its parts were before. Every slot is a process of its own: only the table is left. */
const key = queryKey("lag", { metricName: "lag", parameters: {} });
const target = { type: "AverageValue", averageValue: "5" } as const;
const metrics = [{ type: "External", external: { metric: { name: "lag" }, target } } as const];

function dayOf() {
  const day = fixture({ spec: { ...queueSpec, metrics } });
  const known: unknown[] = [];
  let index = 0;
  const answering = (answer: SourceReading): MetricSources => ({
    lag: sourceOf(({ committedOffsets }) => {
      known.push(committedOffsets);
      return answer;
    }),
  });
  const at = (offset: string, since: number) => ({ "orders-0": { at: offset, since: slotAt(since) } });
  const reads = (committedOffsets?: ReturnType<typeof at>): SourceReading => ({
    items: [metricValue("lag", 10)],
    ...(committedOffsets && { committedOffsets }),
  });
  const slot = (answer: SourceReading, over: object = {}) =>
    day.sync((index += 1), { sources: answering(answer), ...over });
  const wake = (answer: SourceReading) => day.wake(slotAt(index) + 5_000, { sources: answering(answer) });
  return { ...day, known, at, reads, slot, wake };
}

test("the next slot knows the places of the last one, and so does a wake", async () => {
  const { known, at, reads, slot, wake, state } = dayOf();
  await slot(reads(at("7", 1)));
  expect(state()?.readings).toEqual({
    [key]: { response: { items: [] }, readAt: slotAt(1), places: at("7", 1) },
  });
  await slot(reads(at("9", 2)));
  await wake(reads(at("9", 2)));
  await slot(reads());
  expect(known).toEqual([undefined, at("7", 1), at("9", 2), at("9", 2)]);
  expect(state()?.readings).toBeUndefined();
});

test("places that stay are written once", async () => {
  const { at, reads, slot, state } = dayOf();
  for (let index = 0; index < 3; index += 1) await slot(reads(at("7", 1)));
  const settled = state()?.version;
  for (let index = 0; index < 5; index += 1) await slot(reads(at("7", 1)));
  expect(state()?.version).toBe(settled);
});

test("neither a source nor a scale that cannot be read forgets them, and the decision has none", async () => {
  const { known, at, reads, slot, cluster, state } = dayOf();
  await slot(reads(at("7", 1)));
  await slot({ error: "the group is rebalancing", from: "lag" });
  const getScale = () => Promise.reject(new Fault("timeout", "no answer"));
  await slot(reads(at("7", 1)), { cluster: { ...cluster, getScale } });
  await slot(reads(at("7", 1)));
  expect(known).toEqual([undefined, at("7", 1), at("7", 1), at("7", 1)]);
  expect(JSON.stringify(state()?.decision)).not.toContain("orders-0");
});

test("HPAs that share a query share its places", async () => {
  const { known, at, reads, slot, store, cluster } = dayOf();
  await slot(reads(at("7", 1)));
  const spec = { ...queueSpec, metrics, scaleTargetRef: { ...queueSpec.scaleTargetRef, name: "b" } };
  const metadata = { namespace: "shop", name: "b" };
  store.documents.set("prod shop/b", {
    ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata, spec },
  });
  cluster.add("shop/b", 1);
  await slot(reads(at("7", 1)));
  expect(known).toEqual([undefined, at("7", 1)]);
  expect(store.stateItems.get("prod shop/b")?.readings).toMatchObject({ [key]: { places: at("7", 1) } });
});
