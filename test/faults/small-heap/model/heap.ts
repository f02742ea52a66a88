import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { measure, parsedMemory } from "../../../../lib/model/size";
import { answerQuestions } from "../../../small-heap/answer-questions";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join();

const pod = (own: number): string => {
  const containers = [{ name: "app", resources: { requests: { cpu: "100m", memory: "64Mi" } } }];
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T12:00:00Z" }];
  return JSON.stringify({
    metadata: { name: `web-${own}`, namespace: "shop", uid: `u${own}`, labels: { app: "web" } },
    spec: { containers },
    status: { phase: "Running", startTime: "2026-03-01T12:00:00Z", conditions },
  });
};

/** JSON texts of which V8 makes more than their bytes. `own` is different for each of them. */
export const shapes: Readonly<Record<string, (own: number) => string>> = {
  "empty lists": () => `[${times(2_000, () => "[]")}]`,
  "empty maps": () => `[${times(2_000, () => "{}")}]`,
  "maps of one member": () => `[${times(2_000, () => '{"a":1}')}]`,
  "maps whose one member has a name of its own": (own) => `[${times(2_000, (at) => `{"k${own}x${at}":1}`)}]`,
  "maps of 30 members with names of their own": (own) =>
    `[${times(70, (at) => `{${times(30, (name) => `"k${own}x${at}y${name}":"v"`)}}`)}]`,
  "one map of 2,000 members with names of their own": (own) => `{${times(2_000, (at) => `"k${own}x${at}":"v"`)}}`,
  "short texts": (own) => `[${times(2_000, (at) => `"${own}-${at}"`)}]`,
  "texts of two bytes a character": (own) => `[${times(2_000, (at) => `"éééééééééééééééééééé€${own}-${at}"`)}]`,
  "numbers in lists": () => `[${times(2_000, (at) => `${at}.5`)}]`,
  "numbers in maps": () => `[${times(2_000, (at) => `{"a":${at}.5}`)}]`,
  nulls: () => `[${times(2_000, () => "null")}]`,
  pods: (own) => `[${times(50, (at) => pod(50 * own + at))}]`,
  "lists in lists": () => "[".repeat(2_000) + "]".repeat(2_000),
  "maps in maps": () => `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`,
};

export interface Heap {
  /** Bytes of V8's heap, after 100 texts of the shape have been parsed. */
  readonly used: number;
  /** As `measure` says, with and without the names known from the texts before; as `parsedMemory` says. */
  readonly measured: number;
  readonly measuredAlone: number;
  readonly parsed: number;
}

answerQuestions(({ shape }: { readonly shape: string }): Promise<Heap> => {
  const text = shapes[shape] ?? (() => "null");
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 100 }, (_, own) => JSON.parse(text(own)) as unknown);
  collectGarbage();
  const used = process.memoryUsage().heapUsed - before;
  const names = new Set<string>();
  const sum = (of: (value: unknown, own: number) => number) =>
    kept.map((value, own) => of(value, own)).reduce((a, b) => a + b, 0);
  return Promise.resolve({
    used,
    measured: sum((value) => measure(value, names).memory),
    measuredAlone: sum((value) => measure(value).memory),
    parsed: sum((_, own) => parsedMemory(Buffer.from(text(own)))),
  });
});
