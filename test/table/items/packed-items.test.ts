import { randomBytes } from "node:crypto";
import { type HpaKey, hpaKey } from "../../../lib/model/hpa-key";
import type { LatestValues } from "../../../lib/model/stored/latest";
import { decodeLatest, encodeIdle, encodeLatest } from "../../../lib/table/items/packed-items";
import { whole } from "./whole";

/** What an HPA loses of what it shows when its shard's latest values do not fit into an item. */
const shard = { cluster: "prod", from: "" };
const noise = (bytes: number) => randomBytes(bytes).toString("base64");
const condition = (message: string) => ({ type: "T", status: "True", message }) as const;
const fits: LatestValues = { version: 1, status: { conditions: [condition("short")] } };
const step = (stage: "metric" | "bounds", because: string) => ({ stage, replicas: 1, because }) as const;
const list = <T>(count: number, one: () => T) => Array.from({ length: count }, one);

/** Of forty HPAs that show so much, the first. Each has 10 KB, beside one that always fits. */
function cut(values: () => LatestValues): LatestValues | undefined {
  const crowd = Object.fromEntries(list(40, values).map((one, index) => [hpaKey("shop", `n${index}`), one]));
  const found = whole(decodeLatest, encodeLatest(shard, { ...crowd, [hpaKey("shop", "fits")]: fits }, 0)) ?? {};
  expect(found[hpaKey("shop", "fits")]).toEqual(fits);
  return found[hpaKey("shop", "n0")];
}

const decided = (steps: readonly ReturnType<typeof step>[], metrics = 2): LatestValues => ({
  version: 1,
  status: {
    conditions: [condition("cannot read the metric")],
    currentMetrics: list(metrics, () => ({
      type: "External",
      external: { metric: { name: "queue" }, current: { value: noise(60) } },
    })),
  },
  decision: { at: 1, from: 2, desiredReplicas: 3, steps },
});

const bounds = step("bounds", "within bounds");

test("steps of metrics go first, before a text is cut to less than a line", () => {
  const found = cut(() => decided([...list(200, () => step("metric", noise(150))), bounds]));
  expect(found?.decision).toEqual({ at: 1, from: 2, desiredReplicas: 3, steps: [bounds] });
  expect(found?.status.currentMetrics).toHaveLength(2);
});

test("then the decision, and then the metrics of the status", () => {
  const found = cut(() => decided(list(200, () => step("bounds", noise(150)))));
  expect([found?.decision, found?.status.currentMetrics?.length]).toEqual([undefined, 2]);
  const conditions = [condition("cannot read the metric")];
  expect(cut(() => decided([], 300))).toEqual({ version: 1, status: { conditions } });
});

test("an HPA whose conditions alone are too many is left out", () => {
  expect(cut(() => ({ version: 1, status: { conditions: list(300, () => condition(noise(90))) } }))).toBeUndefined();
});

test("of the texts of an HPA, only the long ones are cut", () => {
  const found = cut(() => ({ version: 1, status: { conditions: [condition("short"), condition(noise(30_000))] } }));
  const [short, long] = found?.status.conditions ?? [];
  expect(short?.message).toBe("short");
  expect(long?.message?.length).toBeGreaterThan(4_000);
});

test("a namespace of many HPAs takes nothing from one of few", () => {
  const crowd = list(900, () => ({ ...fits, status: { conditions: [condition(noise(1_500))] } }));
  const few = list(20, () => ({ ...fits, status: { conditions: [condition(noise(6_000))] } }));
  const named = (namespace: string, all: readonly LatestValues[]): readonly (readonly [HpaKey, LatestValues])[] =>
    all.map((one, index) => [hpaKey(namespace, `n${index}`), one]);
  const latest = Object.fromEntries([...named("crowd", crowd), ...named("few", few)]);
  const found = whole(decodeLatest, encodeLatest(shard, latest, 0)) ?? {};
  expect(found).toMatchObject(Object.fromEntries(named("few", few)));
});

test("an item of the idle expires a day after the last slot that wrote it", () => {
  expect(encodeIdle(shard, {}, 1_000).item["expiresAt"]).toEqual({ N: "86401" });
});
