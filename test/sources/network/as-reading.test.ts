import { Fault } from "../../../lib/model/fault";
import { loadKindLazily } from "../../../lib/sources/kind";
import type { MetricSource } from "../../../lib/model/ports/sources";
import { asReading } from "../../../lib/sources/network/as-reading";
import { contextOf } from "../read-context";

const query = { metricName: "jobs", parameters: {} };

describe("a reading", () => {
  const now = Date.parse("2026-11-10T12:00:00Z");
  const reading = (read: () => Promise<readonly { value: string; labels: Record<string, string> }[]>) =>
    asReading("queue a", query, contextOf({ now }), read);

  test("has what was found, with the run's time", async () => {
    expect(await reading(() => Promise.resolve([{ value: "5", labels: { a: "b" } }]))).toEqual({
      items: [{ metricName: "jobs", metricLabels: { a: "b" }, timestamp: "2026-11-10T12:00:00.000Z", value: "5" }],
    });
  });

  test("is the error of its query, whatever was thrown", async () => {
    expect(await reading(() => Promise.reject(new Fault("timeout", "late")))).toEqual({
      error: "late",
      from: "queue a",
    });
    const lack = "credentials" as const;
    expect(await reading(() => Promise.reject(new Fault("unauthorized", "no", { lack })))).toEqual({
      ...{ error: "no", from: "queue a", lack },
    });
    const unexpected = { error: "unexpected: no function", from: "queue a" };
    expect(await reading(() => Promise.reject(new TypeError("no function")))).toEqual(unexpected);
    expect(
      await reading(() => {
        throw new TypeError("no function");
      }),
    ).toEqual(unexpected);
  });
});

describe("a source whose code loads when it is needed", () => {
  const source: MetricSource = {
    keepMs: () => 0,
    open: () => ({ read: () => Promise.resolve({ items: [] }) }),
  };

  test("loads it once, with the first query and not before", async () => {
    let loads = 0;
    const lazy = loadKindLazily(() => Promise.resolve((loads += 1)).then(() => source));
    const reader = lazy.open(contextOf());
    expect(loads).toBe(0);
    expect(await Promise.all([reader.read(query), reader.read(query)])).toEqual([{ items: [] }, { items: [] }]);
    await lazy.open(contextOf()).read(query);
    expect(loads).toBe(1);
    expect(lazy.keepMs(query)).toBe(0);
    expect(
      loadKindLazily(
        () => Promise.resolve(source),
        () => 5,
      ).keepMs(query),
    ).toBe(5);
  });

  test("that cannot be loaded is the query's error, and the next run tries again", async () => {
    let loads = 0;
    const lazy = loadKindLazily(() =>
      (loads += 1) === 1 ? Promise.reject(new Error("no file")) : Promise.resolve(source),
    );
    expect(await lazy.open(contextOf()).read(query)).toEqual({
      ...{ error: "the code of this source cannot be loaded: no file", from: "jobs" },
    });
    expect(await lazy.open(contextOf()).read(query)).toEqual({ items: [] });
  });
});
