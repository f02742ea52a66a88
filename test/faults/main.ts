import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { liveOn } from "./endless";
import { sizeStory } from "./sizes/sizes";
import { aimedStory } from "./stories/aimed";
import { busyStory } from "./stories/busy";
import { crowdedStory } from "./stories/crowded";
import { pairsOfFaults, singleFaults } from "./stories/exhaustive";
import { longStory } from "./stories/long";
import { momentStory } from "./stories/moment";
import { pairedStory } from "./stories/paired";
import { queuesStory } from "./stories/queues";
import { mixedStory, periodsStory } from "./stories/periods";
import { driftingStory, randomStory, stormyStory } from "./stories/random";
import { idleStory } from "./stories/idle";
import { rulesStory } from "./stories/rules";
import { staleStory } from "./stories/stale";
import { valuesStory } from "./stories/values";
import { polledStory } from "./stories/polled";
import { describeStory, shrink } from "./stories/shrink";
import type { Story } from "./stories/story";
import { clustersStory, malformedStory, podsStory, upgradeStory } from "./stories/troubled";
import { takeOverTime } from "./world/globals";
import { loadOldCode } from "./world/old-code";
import { type Lived, live } from "./world/world";

/** scripts/faults.mjs bundles this and documents the options. */
const { values: options } = parseArgs({
  options: {
    kind: { type: "string", default: "random" },
    seed: { type: "string" },
    from: { type: "string", default: "1" },
    seeds: { type: "string" },
    every: { type: "string", default: "1" },
    hours: { type: "string" },
    /** Until so many syncs have begun. */
    slots: { type: "string" },
    trace: { type: "boolean", default: false },
    /** What each invocation of a story of sizes uses. */
    verbose: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    "shrink-seconds": { type: "string", default: "60" },
    /** "2/4": this process lives every fourth seed of each kind, until it is ended. */
    endless: { type: "string" },
  },
});

const elapsed = () => process.hrtime.bigint();
/** Between two lines of a long run. */
const quietNs = 300_000_000_000n;

/** Each seed is a story. */
const drawnKinds: Readonly<Record<string, (seed: number) => Story>> = {
  random: randomStory,
  storm: stormyStory,
  crowded: crowdedStory,
  drift: driftingStory,
  malformed: malformedStory,
  pods: podsStory,
  clusters: clustersStory,
  moment: momentStory,
  long: longStory,
  upgrade: upgradeStory,
  aimed: aimedStory,
  rules: rulesStory,
  idle: idleStory,
  busy: busyStory,
  periods: periodsStory,
  values: valuesStory,
  watched: polledStory,
  stale: staleStory,
  mixed: mixedStory,
  paired: pairedStory,
  queues: queuesStory,
};

/** A long run leaves them out: they have a budget of their own, in slots. */
const sizedKinds: Readonly<Record<string, (seed: number) => Story>> = { size: sizeStory };

/** The bundle is in .cache/faults. */
const loadOld = () => loadOldCode(fileURLToPath(new URL("../..", import.meta.url)));

/** The stories of a kind, numbered from 1. */
async function storiesOf(kind: string): Promise<{ readonly count: number; readonly story: (seed: number) => Story }> {
  const drawn = drawnKinds[kind] ?? sizedKinds[kind];
  if (kind === "upgrade" || kind === "mixed") await loadOld();
  if (drawn !== undefined) return { count: Infinity, story: drawn };
  if (kind !== "single" && kind !== "pair") {
    const kinds = [...Object.keys({ ...drawnKinds, ...sizedKinds }), "single", "pair"].join(", ");
    throw new Error(`--kind: expected one of ${kinds}, got ${kind}`);
  }
  const all = kind === "single" ? await singleFaults() : await pairsOfFaults();
  return { count: all.length, story: (seed) => all[(seed - 1) % all.length]! };
}

async function main(): Promise<void> {
  const { kind, every, hours, slots, trace } = options;
  const { count, story } = await storiesOf(kind);
  const from = Number(options.seed ?? options.from);
  const most =
    options.seed === undefined
      ? Number(options.seeds ?? (hours === undefined && slots === undefined ? count : Infinity))
      : 1;
  const begin = elapsed();
  let toldAt = begin;
  const done = { stories: 0, failed: 0, hours: 0, slots: 0, repeated: 0 };
  for (let seed = from; seed < from + most && seed <= count; seed += Number(every)) {
    const told = story(seed);
    done.stories += 1;
    const isTwice = done.stories % 100 === 1 && options.seed === undefined;
    const lived = await live(told, { trace: trace ? "lines" : isTwice ? "digest" : "nothing" });
    done.hours += told.endMs / 3_600_000;
    done.slots += lived.syncs;
    if (trace) console.log(lived.trace.lines.join("\n"));
    if (told.crowd !== undefined && (trace || options.verbose)) console.log(describeUse(told.crowd.name, lived));
    const [first] = lived.violations;
    // How far a budget is exceeded differs.
    if (isTwice && first === undefined) {
      const again = await live(told, { trace: "digest" });
      if (again.trace.digest === lived.trace.digest) done.repeated += 1;
      else fail(`${kind} ${seed}: a second run went differently`);
    }
    if (first !== undefined) {
      const replay = `npm run test:faults -- --kind=${kind} --seed=${seed} --trace`;
      fail(
        `${kind} ${seed}: ${lived.violations
          .map(({ what }) => what.split("\n", 1)[0])
          .slice(0, 3)
          .join("\n    ")}`,
      );
      if (options.quick) {
        console.log(`${describeStory(told)}\nreplay: ${replay}`);
        break;
      }
      const rule = first.what.split(":", 1)[0] ?? "";
      const shrinking = elapsed();
      const { story: smallest, isCut } = await shrink(told, {
        breaks: async (candidate) => (await live(candidate)).violations.some(({ what }) => what.startsWith(`${rule}:`)),
        hasTime: () => elapsed() - shrinking < Number(options["shrink-seconds"]) * 1e9,
      });
      const cut = isCut ? `the smallest found in ${options["shrink-seconds"]} s (--shrink-seconds)\n` : "";
      console.log(`${cut}${describeStory(smallest)}\n    ${first.what}\nreplay: ${replay}\n`);
    }
    if (hours !== undefined && done.hours >= Number(hours)) break;
    if (slots !== undefined && done.slots >= Number(slots)) break;
    if (elapsed() > toldAt + quietNs) {
      toldAt = elapsed();
      console.log(summary());
    }
  }
  console.log(summary());
  process.exitCode = done.failed === 0 ? 0 : 1;

  function fail(what: string): void {
    done.failed += 1;
    console.log(what);
  }

  function summary(): string {
    const seconds = Number(elapsed() - begin) / 1e9;
    const { stories, failed, repeated, slots } = done;
    const rate = `${(done.hours / seconds).toFixed(1)} hours and ${(slots / seconds).toFixed(1)} syncs a second`;
    return `${kind}: ${stories} stories, ${failed} failed, ${done.hours.toFixed(0)} simulated hours, ${slots} syncs, ${repeated} run twice with equal traces; ${rate}`;
  }
}

function describeUse(name: string, { used }: Lived): string {
  const lines = used.map(({ fn, heap, steps, most }) => {
    return `    ${fn}: ${Math.ceil(heap / 2 ** 20)} MB, ${steps} steps, most in ${most.join(", ")}`;
  });
  return [name, ...lines].join("\n");
}

takeOverTime();
// A stack for each Fault costs a tenth of the time. A replay with --trace has them.
if (!options.trace) Error.stackTraceLimit = 0;
const [, nth, step] = /^(\d+)\/(\d+)$/.exec(options.endless ?? "") ?? [];
if (options.endless === undefined) await main();
else {
  await loadOld();
  await liveOn(drawnKinds, { from: Number(options.from) + Number(nth) - 1, step: Number(step) });
}
