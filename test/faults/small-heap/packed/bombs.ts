import { brotliCompressSync, constants } from "node:zlib";
import { hashOfName } from "../../../../lib/sync/wake/queues-of";

/** As a request has it: bytes are Base64. */
export type WireItem = Readonly<Record<string, { readonly S?: string; readonly N?: string; readonly B?: string }>>;

/** Items of the cluster `crowd` that unpack to far more than they are. */
const pk = "CLUSTER#crowd";
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const packed = (text: string): WireItem => ({ packed: { B: brotliCompressSync(text, fast).toString("base64") } });
const item = (sk: string, text: string, more: WireItem = {}): WireItem => ({
  ...{ pk: { S: pk }, sk: { S: sk }, ...more },
  ...packed(text),
});
const latest = (text: string, sk = "LATEST#") => item(sk, text);
const many = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index));
const ofHpa = (value: string, key = "crowd/c0") => `{${JSON.stringify(key)}:${value}}`;
const state = (conditions: string) => `{"version":1,"status":{"conditions":[${conditions}]}}`;

const metric = (text: string) =>
  `{"type":"External","external":{"metric":{"name":${JSON.stringify(text)}},"target":{"type":"AverageValue","averageValue":"5"}}}`;
const idleHpa = (text: string) =>
  `{"hpa":{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"c"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"c"},"maxReplicas":3,"metrics":[${metric("sqs")}]}},"sources":[{"kind":"source","source":"sqs","parameters":{"queue":"crowd-jobs","text":"${text}"}}],"rules":[{}]}`;
/** 125 HPAs × 120 KB, from about 1 KB. */
const idle = (from: number) =>
  `{${many(125, (index) => `"crowd/c${from + index}":${idleHpa("x".repeat(120_000))}`).join()}}`;

const index = (text: string): WireItem => ({
  ...item("SHARD#", text, { hash: { S: "bomb" }, more: { N: "1" } }),
  pk: { S: "INDEX#crowd" },
  queues: { B: numbers([hashOfName("crowd-jobs") ?? 0]) },
});

function numbers(list: readonly number[]): string {
  const bytes = Buffer.alloc(4 * list.length);
  list.forEach((one, at) => bytes.writeUInt32LE(one, 4 * at));
  return bytes.toString("base64");
}

const condition = '{"type":"A","status":"True"}';

export const bombs: Readonly<Record<string, () => readonly WireItem[]>> = {
  "a LATEST of 300,199 keys": () => [
    latest(`{${many(300_199, (at) => `"crowd/c${at}":{"version":1,"status":{}}`).join()}}`),
  ],
  "a LATEST of 600,000 broken conditions": () => [latest(ofHpa(state(many(600_000, () => "{}").join())))],
  "a LATEST of 400,000 conditions": () => [latest(ofHpa(state(many(400_000, () => condition).join())))],
  "a LATEST of empty lists, 50 deep": () => [
    latest(ofHpa(`{"version":1,"status":{},"more":[${many(140_000, () => "[".repeat(50) + "]".repeat(50)).join()}]}`)),
  ],
  "a LATEST of 256 MB": () => [latest(ofHpa(`{"version":1,"status":{},"more":"${"x".repeat(2 ** 28)}"}`))],
  "200 items LATEST of 15 MB": () => {
    const one = latest(ofHpa(`{"version":1,"status":{},"more":"${"x".repeat(15_000_000)}"}`));
    return Array.from({ length: 200 }, (_, at) => ({ ...one, sk: { S: `LATEST#crowd/c0${100 + at}` } }));
  },
  "20 items IDLE of 125 HPAs × 120 KB": () => [
    item("IDLE#", idle(0)),
    ...Array.from({ length: 19 }, (_, at) => item(`IDLE#crowd/c${String(at).padStart(3, "0")}`, idle(125 * (at + 1)))),
  ],
  "an IDLE of 100,000 keys": () => [item("IDLE#", `{${many(100_000, (at) => `"crowd/c${at}":1`).join()}}`)],
  "an INDEX of 200,000 keys": () => [index(`{${many(200_000, (at) => `"crowd/c${at}":{"more":true}`).join()}}`)],
  "an INDEX of 4,000,000 queues": () => [index(ofHpa(`{"queues":[${many(4_000_000, () => "1").join()}]}`))],
  "an INDEX of 1,500,000 queues": () => [index(ofHpa(`{"queues":[${many(1_500_000, () => "1").join()}]}`))],
};
