import type { Story } from "./stories/story";
import { live } from "./world/world";

/** What scripts/long-run.mjs reads, a line each. */
export interface StoryLived {
  readonly kind: string;
  readonly seed: number;
  readonly hours: number;
  readonly syncs: number;
  readonly isTwice: boolean;
  /** What the checks found, or that a second run went differently. */
  readonly violations: readonly string[];
}

interface Line {
  readonly kind: string;
  readonly story: (seed: number) => Story;
  /** Of the processor's time. */
  readonly share: number;
  seed: number;
  spentMs: number;
}

/** Of the processor's time, for long stories. The other kinds share the rest. */
const longShare = 0.8;

/** Lives stories of these kinds until the process ends. Processes with a `from` each, below `step`, share the seeds. */
export async function liveOn(
  kinds: Readonly<Record<string, (seed: number) => Story>>,
  { from, step }: { readonly from: number; readonly step: number },
): Promise<never> {
  const others = Object.keys(kinds).length - 1;
  const lines = Object.entries(kinds).map(([kind, story]): Line => {
    const share = kind === "long" ? longShare : (1 - longShare) / others;
    return { kind, story, share, seed: from, spentMs: 0 };
  });
  const used = (line: Line) => line.spentMs / line.share;
  for (let count = 1; ; count += 1) {
    const line = lines.reduce((least, each) => (used(each) < used(least) ? each : least));
    const before = process.cpuUsage();
    console.log(JSON.stringify(await lived(line, count % 100 === 0)));
    const { user, system } = process.cpuUsage(before);
    line.seed += step;
    line.spentMs += (user + system) / 1_000;
  }
}

async function lived({ kind, story, seed }: Line, isTwice: boolean): Promise<StoryLived> {
  const told = story(seed);
  const keeps = { trace: isTwice ? "digest" : "nothing" } as const;
  const { violations, syncs, trace } = await live(told, keeps);
  const found = violations.map(({ what }) => what);
  if (isTwice && (await live(told, keeps)).trace.digest !== trace.digest) found.push("repeat: went differently");
  return { kind, seed, hours: told.endMs / 3_600_000, syncs, isTwice, violations: found };
}
