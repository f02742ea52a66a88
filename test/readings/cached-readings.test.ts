import type { MetricSources, SourceReading } from "../../lib/model/ports/sources";
import type { State } from "../../lib/model/stored/state";
import { contextOf } from "../sources/read-context";
import { queryKey } from "../../lib/model/metric/query-key";
import { shareSources } from "../../lib/readings/read-sources";

const slot = Date.parse("2026-03-01T12:00:00Z");
const query = { metricName: "jobs", parameters: { queue: "orders" } };
const fresh = { items: [{ metricName: "jobs", timestamp: "2026-03-01T12:00:00Z", value: "40" }] };

const key = queryKey("paid", query);

/** What the run reads, and keeps, when no state remembers the query. */
function readOnce(reading: SourceReading) {
  const paid = { isBuiltIn: true, keepMs: () => 60_000, open: () => ({ read: () => Promise.resolve(reading) }) };
  return shareSources({ paid }, {}, { slot, ...contextOf({ now: slot }) }).read("paid", query);
}

/** What the run reads when a other HPA's state remembers `reading` of the same query. */
async function readBeside(reading: unknown) {
  let asked = 0;
  const sources: MetricSources = {
    paid: {
      isBuiltIn: true,
      keepMs: () => 60_000,
      open: () => ({
        read: () => {
          asked += 1;
          return Promise.resolve(fresh);
        },
      }),
    },
  };
  const states = { "shop/other": { readings: { [key]: reading } } } as unknown as Record<string, State>;
  const reads = shareSources(sources, states, { slot, ...contextOf({ now: slot }) });
  const { response } = await reads.read("paid", query);
  return { asked, response };
}

test("a reading of this minute is not asked again", async () => {
  const items = [{ metricName: "jobs", timestamp: "2026-03-01T12:00:00Z", value: "7" }];
  expect(await readBeside({ response: { items }, readAt: slot - 45_000 })).toEqual({ asked: 0, response: { items } });
});

test("a throttled reading is not kept: the next slot asks again", async () => {
  const kept = { error: "denied", from: "paid" };
  const [throttled, denied] = await Promise.all([readOnce({ ...kept, isThrottled: true }), readOnce(kept)]);
  expect(throttled).toEqual({ response: kept });
  expect(denied).toEqual({ response: kept, keep: { key, reading: { response: kept, readAt: slot } } });
});

test.each<[name: string, reading: unknown]>([
  ["neither items nor an error", { response: {}, readAt: slot }],
  ["items that are no list", { response: { items: "7" }, readAt: slot }],
  ["items that are texts", { response: { items: ["1", "2"] }, readAt: slot }],
  ["an item that is null", { response: { items: [null] }, readAt: slot }],
  ["an item without a value", { response: { items: [{ metricName: "jobs" }] }, readAt: slot }],
  ["a value that is no quantity", { response: { items: [{ value: "toString" }] }, readAt: slot }],
  ["a value as a map", { response: { items: [{ value: {} }] }, readAt: slot }],
  ["a certain part that is no quantity", { response: { items: [{ value: "7" }], certain: {} }, readAt: slot }],
  ["a moment that is far ahead", { response: { items: [{ value: "7" }] }, readAt: slot + 1e12 }],
  ["a moment that is long ago", { response: { items: [{ value: "7" }] }, readAt: slot - 60_000 }],
])("a remembered reading with %s is asked again", async (_name, reading) => {
  expect(await readBeside(reading)).toEqual({ asked: 1, response: fresh });
});
