import { descriptions } from "../../lib/sources/descriptions";
import { priceOfReading } from "../../lib/sources/registry";

const query = (parameters: Readonly<Record<string, unknown>>) => ({ metricName: "any", parameters });

test("a reading costs what AWS bills for it", () => {
  expect(priceOfReading("sqs", query({ queue: "orders" }))).toBeCloseTo(0.4e-6, 12);
  expect(priceOfReading("sqs", query({ queues: "orders,mails" }))).toBeCloseTo(0.8e-6, 12);
  expect(priceOfReading("prometheus", query({}))).toBe(0);
  expect(priceOfReading("constructor", query({}))).toBe(0);
});

test("what cannot be read costs nothing", () => {
  expect(priceOfReading("sqs", query({}))).toBe(0);
});

test("each kind that AWS bills has a price", () => {
  for (const [kind, { billedByAws, example }] of Object.entries(descriptions)) {
    if (billedByAws === undefined) continue;
    expect([kind, priceOfReading(kind, query(example))]).toEqual([kind, expect.any(Number)]);
    expect(priceOfReading(kind, query(example))).toBeGreaterThan(0);
  }
});
