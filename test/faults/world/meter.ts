import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector";
import { syncBuiltinESMExports } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import zlib from "node:zlib";
import type { Budget } from "../sizes/size-plan";
import type { WorldClock } from "./clock";
import type { Invocation } from "./wire";

/** What an invocation has used, in bytes and steps. */
export interface Used {
  /** V8's heap and buffers after a collection, beyond the table and what was there before: the most found. */
  heap: number;
  /** Blocks of lib's and functions' code that ran, and the bytes that native functions went over, eight to a step. */
  steps: number;
  /** The functions with most of them. */
  readonly most: string[];
}

export interface Meter {
  /** Everything that is there now is not the code's. */
  begin(): void;
  called(by: Invocation, name: string): void;
  /** @returns what it has used, and which of its budget that exceeds. */
  ended(by: Invocation): { readonly used: Used; readonly exceeded: readonly string[] };
}

/** By these calls, a run has planned, read, or is about to write: then most of what it makes is there. */
const measuredAt = [/^cluster getScale/, /^table (?:PutItem|BatchWriteItem)/, /^queue /];

/** One for each story, in a process that lives one story at a time. `worldBytes`: memory that is not the code's. */
export function openMeter(clock: WorldClock, budget: Budget, worldBytes: () => number): Meter {
  const { collectGarbage, takeSteps } = instruments();
  const heaps = new Map<Invocation, { readonly seen: Set<RegExp>; most: number }>();
  let baseline = 0;

  function heapNow(): number {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const used = heapUsed + arrayBuffers - worldBytes();
    // What the story before has left may go only now.
    baseline = Math.min(baseline, used);
    return used - baseline;
  }

  function measure(by: Invocation, at?: RegExp): void {
    const known = heaps.get(by) ?? { seen: new Set(), most: 0 };
    heaps.set(by, known);
    if (at !== undefined) known.seen.add(at);
    known.most = Math.max(known.most, heapNow());
  }

  return {
    begin() {
      isCounting = () => clock.current !== undefined;
      baseline = Infinity;
      heapNow();
      takeSteps();
    },
    called(by, name) {
      const at = measuredAt.find((pattern) => pattern.test(name));
      if (at !== undefined && heaps.get(by)?.seen.has(at) !== true) measure(by, at);
    },
    ended(by) {
      if (!heaps.has(by)) measure(by);
      const { steps, most } = takeSteps();
      const used = { heap: heaps.get(by)?.most ?? 0, steps, most };
      heaps.delete(by);
      const megabytes = Math.ceil(used.heap / 2 ** 20);
      const exceeded = [
        ...(megabytes > budget.heapMegabytes
          ? [`heap: ${by.fn} has ${megabytes} MB, and may have ${budget.heapMegabytes}`]
          : []),
        ...(steps > budget.steps
          ? [`steps: ${by.fn} takes ${steps}, and may take ${budget.steps}; most in ${most.slice(0, 3).join(", ")}`]
          : []),
      ];
      return { used, exceeded };
    },
  };
}

let isCounting = () => false;
let nativeBytes = 0;
const bytesOfStep = 8;

interface Instruments {
  readonly collectGarbage: () => void;
  /** Since it was asked last. */
  readonly takeSteps: () => { readonly steps: number; readonly most: string[] };
}

let opened: Instruments | undefined;

/** They change the process: what they count is the same in every run of a story, as no clock is involved. */
function instruments(): Instruments {
  return (opened ??= open());
}

function open(): Instruments {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  countNative();
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const bundle = process.argv[1] ?? "";
  const moduleOf = modulesOf(readFileSync(bundle, "utf8"));

  return {
    collectGarbage,
    takeSteps() {
      const functions = new Map<string, number>();
      session.post("Profiler.takePreciseCoverage", (_error, found) => {
        for (const script of found?.result ?? [])
          if (script.url.endsWith(bundle)) for (const one of script.functions) add(functions, one);
      });
      const native = Math.round(nativeBytes / bytesOfStep);
      nativeBytes = 0;
      if (native > 0) functions.set("native", native);
      const sorted = [...functions].sort(([, a], [, b]) => b - a);
      return {
        steps: sorted.reduce((sum, [, count]) => sum + count, 0),
        most: sorted.slice(0, 8).map(([name, count]) => `${name} (${count})`),
      };
    },
  };

  function add(functions: Map<string, number>, { functionName, ranges }: Profiler.FunctionCoverage): void {
    const [whole] = ranges;
    const file = whole && moduleOf(whole.startOffset);
    if (whole === undefined || file === undefined) return;
    const count = ranges.reduce((sum, range) => sum + range.count, 0);
    if (count === 0) return;
    const name = `${functionName || "a function"} of ${file}`;
    functions.set(name, (functions.get(name) ?? 0) + count);
  }
}

/** esbuild begins each module of a bundle with its path. Of the simulator's own, nothing counts. */
function modulesOf(text: string): (offset: number) => string | undefined {
  const starts: { readonly at: number; readonly file: string }[] = [];
  for (const { index, 1: file = "" } of text.matchAll(/^\/\/ ((?:\.\.\/)*[\w@./-]+\.(?:[cm]?[jt]s|json))$/gm))
    starts.push({ at: index, file });
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle]?.at ?? Infinity) <= offset) low = middle + 1;
      else high = middle;
    }
    const file = starts[low - 1]?.file ?? "";
    return /^(?:lib|functions)\//.test(file) ? file : undefined;
  };
}

/** A native function does in one step of code what it does for each byte. */
function countNative(): void {
  const count = (bytes: number) => {
    if (isCounting()) nativeBytes += bytes;
  };
  const { parse, stringify } = JSON;
  JSON.parse = ((text: string, ...more: []) => {
    count(text.length);
    return parse(text, ...more) as unknown;
  }) as typeof parse;
  JSON.stringify = ((value: unknown, ...more: []) => {
    const text = stringify(value, ...more) as string | undefined;
    count(text?.length ?? 0);
    return text;
  }) as typeof stringify;
  const byteLength = Buffer.byteLength.bind(Buffer);
  Buffer.byteLength = (text, ...more) => {
    const bytes = byteLength(text, ...more);
    count(bytes);
    return bytes;
  };
  const { brotliCompressSync, brotliDecompressSync } = zlib;
  zlib.brotliCompressSync = (data, ...more) => {
    count(byteLength(data));
    return brotliCompressSync(data, ...more);
  };
  zlib.brotliDecompressSync = (data, ...more) => {
    try {
      const unpacked = brotliDecompressSync(data, ...more);
      count(unpacked.length);
      return unpacked;
    } catch (error) {
      // It has gone so far.
      count(more[0]?.maxOutputLength ?? 0);
      throw error;
    }
  };
  syncBuiltinESMExports();
}
