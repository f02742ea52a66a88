import { brotliCompressSync, constants } from "node:zlib";
import type { Dice } from "../stories/dice";
import type { Act, PlantedItem } from "../stories/story";
import { cluster, crowdKey, crowdTargets, external, hpaItem, pk } from "./crowd-items";
import type { SizePlan } from "./size-plan";

const hpas = 100;
const queue = "crowd-jobs";

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const packed = (text: string) => ({ packed: Uint8Array.from(brotliCompressSync(text, fast)) });
const mapOf = (count: number, of: (index: number) => string) =>
  `{${Array.from({ length: count }, (_, index) => `"${crowdKey(index)}":${of(index)}`).join()}}`;
const ofOneHpa = (value: string) => mapOf(1, () => value);
const many = (count: number, text: string) => Array<string>(count).fill(text).join();

const latest = (text: string, sk = "LATEST#"): PlantedItem => ({ item: { pk, sk, ...packed(text) } });
/** The first HPAs of as many items, one bomb in each. */
const copies = (count: number, { item }: PlantedItem) =>
  Array.from({ length: count }, (_, at) => ({
    item: { ...item, sk: `${String(item["sk"])}${at ? crowdKey(at) : ""}` },
  }));
const idle = (text: string): PlantedItem => ({ item: { pk, sk: "IDLE#", ...packed(text) } });
/** A slot and a wake believe it: what they compare is as the slot before has written it. */
const index = (text: string): PlantedItem => ({
  item: { pk: `INDEX#${cluster}`, sk: "SHARD#", ...packed(text) },
  keeps: ["hash", "queues", "more"],
});

type Bombs = readonly [() => readonly PlantedItem[], ...(() => readonly PlantedItem[])[]];

/** Each is some KB, and unpacks to far more. */
const latestBombs: Bombs = [
  () => [latest(mapOf(300_199, () => '{"version":1,"status":{}}'))],
  () => [latest(ofOneHpa(`{"version":1,"status":{"conditions":[${many(600_000, "{}")}]}}`))],
  () => [latest(ofOneHpa(`{"version":1,"status":{},"more":"${"x".repeat(2 ** 28)}"}`))],
  () => copies(40, latest(ofOneHpa(`{"version":1,"status":{},"more":"${"x".repeat(15_000_000)}"}`))),
];
const idleBombs: Bombs = [
  () => copies(20, idle(mapOf(125, () => `{"hpa":"${"x".repeat(120_000)}"}`))),
  () => [idle(mapOf(100_000, () => "1"))],
];
const indexBombs: Bombs = [
  () => [index(mapOf(200_000, () => '{"more":true}'))],
  () => [index(ofOneHpa(`{"queues":[${many(4_000_000, "1")}]}`))],
];

/** Items LATEST, IDLE or INDEX that hold far more than they are, whatever slots write; and states wrong everywhere. */
export function packedBombs(random: Dice): SizePlan {
  const slots = 11;
  // Until the neighbours' metrics move.
  const each = (acts: (atMs: number, slot: number) => Act) =>
    Array.from({ length: slots - 3 }, (_, slot) => acts(slot * 15_000, slot));
  // What LATEST shows moves in each slot, and no size does.
  const shown = each((atMs, slot) => {
    return { atMs: atMs + 9_000, do: "load", hpa: "aaa/n0", metric: 0, depth: 4 + 0.01 * slot };
  });
  // In each slot, one of the HPAs at zero reads another queue, so the slot writes its IDLE and INDEX items.
  const changed = each((atMs, slot) => ({ atMs: atMs + 8_000, do: "put", item: sleeper(hpas, `${queue}-${slot}`) }));
  const wakes = each((atMs) => ({ atMs: atMs + 11_000, do: "alarm", queue, times: 2 }));
  const broken = Array.from({ length: 20 }, (_, at) => ({
    ...{ pk, sk: `STATE#broken/s${at}`, status: { conditions: Array.from({ length: 20_000 }, () => ({})) } },
  }));
  // Not due in each slot, so what LATEST says of them is kept.
  const slow = { metadata: { annotations: { "ebb.dev/sync-period": "60s" } } };
  const awake = Array.from({ length: hpas }, (_, at) => hpaItem(at, [external("live", { id: `crowd.c${at}.0` })]));
  return {
    items: [
      ...awake.map((item) => ({ ...item, ...slow })),
      ...[sleeper(hpas, queue), sleeper(hpas + 1, queue)],
      ...broken,
    ],
    targets: crowdTargets(hpas + 2),
    values: { ...Object.fromEntries(awake.map((_, at) => [`crowd.c${at}.0`, 5])), "crowd.sleeper.0": 0 },
    planted: [latestBombs, idleBombs, indexBombs].flatMap((some) => random.pick(some)()),
    // One item of LATEST may unpack to 16 MB, which are gone over byte by byte before they are refused.
    budget: { steps: 30_000_000 },
    acts: [...shown, ...changed, ...wakes].sort((a, b) => a.atMs - b.atMs),
    setting: { watch: { budget: 1_000 }, downscaleStabilizationSeconds: 0 },
    slots,
  };
}

function sleeper(at: number, of: string) {
  return { ...hpaItem(at, [external("sqs", { id: "crowd.sleeper.0", queue: of })], { minReplicas: 0 }) };
}
