import { seededRandom } from "../../../local/random";
import type { Item } from "../../../lib/table/items/attributes";
import { toItem } from "../../../lib/table/items/attributes";
import { clusterPrefix } from "../../../lib/table/items/keys";
import { type Dice, dice } from "../stories/dice";

/** What a team may write with examples/team-policy.json: an entry's attributes, under any sort key of its cluster. */
const attributes = ["apiVersion", "kind", "metadata", "spec", "status", "expiresAt"] as const;

const prefixes = ["HPA#", "SOURCE#", "STATE#", "DECISION#", "EVENTS#", "LATEST#", "IDLE#", "SHARD#", "INDEX#"] as const;
const otherKeys = [
  "SHARD",
  "LEASE",
  "WATCH",
  "CLUSTERS",
  "HPA",
  "zzz#",
  "zzz",
  " ",
  "\u{10ffff}",
  "#",
  "HPA#",
] as const;

/** Items of junk, some under the keys of the team's own entries and of what ebb keeps beside them. */
export function junkOf(
  seed: number,
  cluster: string,
  keys: readonly [string, ...string[]],
  count: number,
): readonly Item[] {
  const random = dice(seededRandom(seed));
  return Array.from({ length: count }, () => {
    const sk = sortKey(random, keys);
    return { ...content(random, sk), pk: { S: clusterPrefix + cluster }, sk: { S: sk } };
  });
}

function sortKey(random: Dice, keys: readonly [string, ...string[]]): string {
  const prefix = random.pick(prefixes);
  const key = random.pick([
    ...keys,
    ...keys,
    "shop/new",
    "a/b/c",
    "",
    "/",
    "x".repeat(900),
    "shop/\u0000",
    "__proto__/x",
  ]);
  const at = "#2026-03-01T12:00:00.200Z";
  if (random.chance(0.1)) return random.pick(otherKeys);
  return [prefix, key, prefix === "DECISION#" ? random.pick([at, "#", "#9999", ""]) : ""].join("");
}

function content(random: Dice, sk: string): Item {
  // In part an entry as it should be, so that what is wrong is deeper.
  const spec = random.chance(0.5) ? nearlySpec(random) : anything(random, 0);
  const item = toItem({ spec });
  for (const name of attributes)
    if (name !== "spec" && random.chance(0.3)) item[name] = toItem({ it: anything(random, 0) })["it"]!;
  if (random.chance(0.1))
    item["spec"] = random.pick<Item[string]>([{ B: "AAAA" as never }, { SS: ["a", "b"] }, { NS: ["1", "2"] }]);
  if (random.chance(0.05)) item["metadata"] = { S: "x".repeat(300_000) };
  if (sk.startsWith("STATE#") && random.chance(0.5))
    item["status"] = toItem({ it: { conditions: many(5_000, {}) } })["it"]!;
  return item;
}

function nearlySpec(random: Dice): object {
  const metric = {
    type: "External",
    external: { metric: { name: "sqs" }, target: { type: "AverageValue", averageValue: "5" } },
  };
  const spec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    ...{ minReplicas: 0, maxReplicas: 10, metrics: [metric] },
  };
  const field = random.pick([
    "scaleTargetRef",
    "minReplicas",
    "maxReplicas",
    "metrics",
    "behavior",
    "kind",
    "parameters",
  ]);
  return { ...spec, [field]: anything(random, 0) };
}

const many = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

function anything(random: Dice, depth: number): unknown {
  const leaf = () =>
    random.pick<unknown>([
      null,
      ...[true, 0, -1, 1e300, 2 ** 53, "", "5", "sqs", "\u0000\u009b31m", "\u202ezzz", "x".repeat(20_000)],
      ...["CLUSTER#zzz", "shop/web", "https://zzz.example", [], {}, many(2_000, {}), many(2_000, null)],
    ]);
  if (depth > 4 || random.chance(0.4)) return leaf();
  const inner = () => anything(random, depth + 1);
  if (random.chance(0.3)) return Array.from({ length: random.between(0, 4) }, inner);
  const names = [
    "name",
    "metrics",
    "external",
    "metric",
    "selector",
    "matchLabels",
    "queue",
    "constructor",
    "annotations",
  ];
  return Object.fromEntries(
    [...names, "toString", "cluster", "endpoint"].filter(() => random.chance(0.3)).map((name) => [name, inner()]),
  );
}
