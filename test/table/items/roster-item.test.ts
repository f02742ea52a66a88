import { randomBytes } from "node:crypto";
import { type HpaKey, hpaKey } from "../../../lib/model/hpa-key";
import type { RosterHpa } from "../../../lib/model/stored/history";
import { itemBytes, maxItemBytes } from "../../../lib/table/items/attributes";
import { boundedSpec, decodeRoster, openRoster } from "../../../lib/table/items/roster-item";
import { packed, roomy, rosterHpa as hpa } from "./history-samples";

const shard = { cluster: "prod", from: "shop/a" };

test("a spec keeps 16 metrics, and 256 characters of a text", () => {
  const labels = Array.from({ length: 17 }, (_, index) => `${index} ${"x".repeat(300)}`);
  const [kind, apiVersion] = ["K".repeat(300), `apps/${"v".repeat(300)}`];
  const { metrics, ...rest } = boundedSpec({ ...hpa(...labels), target: { kind, name: "web", apiVersion } });
  expect(metrics.map(({ label }) => label)).toEqual(labels.slice(0, 16).map((label) => label.slice(0, 256)));
  const short = { kind: kind.slice(0, 256), name: "web", apiVersion: apiVersion.slice(0, 256) };
  expect(rest).toEqual({ target: short, minReplicas: 0, maxReplicas: 10 });
  expect(boundedSpec(hpa("a"))).toStrictEqual(hpa("a"));
});

describe("a roster", () => {
  const [a, b] = [hpaKey("shop", "a"), hpaKey("shop", "b")];
  const few = new Map([
    [b, hpa("b")],
    [a, hpa("a", "more")],
  ]);

  test("has the HPAs in key order, whatever order they come in, and reads back the same", () => {
    const { roster, item } = openRoster(shard, few);
    expect([roster.keys, roster.hpas]).toEqual([
      [a, b],
      [hpa("a", "more"), hpa("b")],
    ]);
    expect([...roster.positions]).toEqual([
      [a, 0],
      [b, 1],
    ]);
    expect(openRoster(shard, new Map([...few].reverse())).roster).toEqual(roster);
    const { pk, sk, expiresAt } = item(1_500);
    expect([pk?.S, sk?.S, expiresAt?.N]).toEqual(["HISTORY#prod", `ROSTER#shop/a#${roster.hash}`, "2"]);
    expect(roster.hash).toMatch(/^[\w-]{16}$/);
    expect(decodeRoster(item(1_500), roomy())).toEqual(roster);
  });

  test("has another hash with another spec", () => {
    expect(openRoster(shard, new Map([[a, hpa("a")]])).roster.hash).not.toBe(
      openRoster(shard, new Map([[a, hpa("b")]])).roster.hash,
    );
  });

  const noise = (bytes: number) => randomBytes(bytes).toString("base64");
  const named = (all: readonly RosterHpa[]) =>
    new Map(all.map((one, index): [HpaKey, RosterHpa] => [hpaKey("shop", `n${1_000 + index}`), one]));
  const stored = (hpas: ReadonlyMap<HpaKey, RosterHpa>) => {
    const { roster, item } = openRoster(shard, hpas);
    expect(itemBytes(item(0))).toBeLessThanOrEqual(maxItemBytes);
    const found = decodeRoster(item(0), roomy());
    expect([found?.keys, found?.hash]).toEqual([roster.keys, roster.hash]);
    return found?.hpas ?? [];
  };

  test("of more than an item holds shows no metrics of the largest", () => {
    const large = Array.from({ length: 250 }, () => hpa(...Array.from({ length: 12 }, () => noise(180))));
    const found = stored(named([...large, hpa("small")]));
    expect(found).toHaveLength(251);
    expect(found.at(-1)).toEqual(hpa("small"));
    expect(found.filter(({ metrics }) => metrics.length === 0).length).toBeGreaterThan(10);
  });

  test("leaves out HPAs if not even their keys and targets fit", () => {
    const name = () => randomBytes(120).toString("hex");
    const many = Array.from({ length: 2_000 }, () => hpaKey("shop", name()));
    const hpas = new Map(many.map((key) => [key, { ...hpa(), target: { kind: name(), name: name() } }]));
    const { length } = stored(hpas);
    expect(length).toBeGreaterThan(500);
    expect(length).toBeLessThan(2_000);
  });

  test.each([
    ["nothing", {}],
    ["a list", packed([])],
    ["text as an HPA", packed({ "shop/a": "x" })],
    ["an HPA without a target", packed({ "shop/a": { metrics: [] } })],
    ["an HPA without a list of metrics", packed({ "shop/a": { target: hpa().target, metrics: {} } })],
  ])("with %s is unreadable", (_what, item) => {
    expect(decodeRoster(item, roomy())).toBeUndefined();
  });

  test("is unreadable if it does not fit into the room", () => {
    expect(decodeRoster(openRoster(shard, few).item(0), { left: 100 })).toBeUndefined();
  });
});
