import type { Begun, Instant, Row } from "./row";
import { rows, takeOver } from "./rows";
import { importStory, type Past, pastOf, stepEbb, type Stepped } from "./step-ebb";
import type { Decision } from "../../lib/model/situation";
import { type Replayed, replayKeda } from "./replay-keda";
import type { Story, Told, ToldStep } from "./story";

/** KEDA's step is not the one that its rules lead to. */
export interface Unruled {
  readonly index: number;
  readonly told: ToldStep;
  readonly replayed: Replayed;
}

export function firstUnruled(story: Story, told: Told): Unruled | undefined {
  for (const [index, replayed] of replayKeda(story, told, importStory(story)).entries()) {
    const step = told.steps[index];
    if (step === undefined) throw new Error(`the story was told without instant ${index}`);
    const isEqual = replayed.polled === step.polled && replayed.size === step.size && replayed.worked === step.worked;
    if (!isEqual) return { index, told: step, replayed };
  }
  return undefined;
}

export interface Mismatch {
  readonly index: number;
  readonly instant: Instant;
  readonly ours: Stepped;
}

/** The first instant at which ebb's step is not KEDA's, with the cause of `used` rows taken away. */
export function firstMismatch(story: Story, told: Told, used: readonly Row[]): Mismatch | undefined {
  const begun = used.reduce<Begun>((begun, { begin }) => begin?.({ story, told }, begun) ?? begun, begin(story));
  const { imported } = begun;
  let { past } = begun;
  let size = story.size;
  for (const [index, step] of story.steps.entries()) {
    const theirs = told.steps[index];
    if (theirs === undefined) throw new Error(`the story was told without instant ${index}`);
    const instant: Instant = { story, imported, past, step, from: step.setTo ?? size, told: theirs };
    const next = pastAfter(instant, used);
    if ("ours" in next) return { index, instant, ours: next.ours };
    past = next.past;
    size = theirs.size;
  }
  return undefined;
}

/** An import carries a zero that KEDA made. */
function begin(story: Story): Begun {
  const imported = importStory(story);
  const zero = { type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "", lastTransitionTime: "" };
  const isAdopted = story.size === 0 && imported.hpa.spec.minReplicas === 0;
  const status = { desiredReplicas: 0, conditions: [zero] } as unknown as NonNullable<Past["status"]>;
  return { imported, past: { history: null, ...(isAdopted && { status }) } };
}

function pastAfter(instant: Instant, used: readonly Row[]): { readonly past: Past } | { readonly ours: Stepped } {
  const { step, past, from, told } = instant;
  const read = used.reduce((read, { reads }) => reads?.(instant) ?? read, instant.imported.read);
  const imported = { ...instant.imported, read };
  const aligned = used.find(({ rules }) => rules !== undefined)?.rules?.(instant) ?? imported.rules;
  const at = (size: number) => stepEbb(imported, { past, step, size, rules: aligned });
  const isEqual = (ours: Stepped) =>
    ours.size === told.size && (!decidesByActivity(instant) || ours.worked === told.worked);
  const remembered = (ours: Stepped) =>
    used.reduce((past, { remembers }) => remembers?.(instant, past) ?? past, pastOf(ours.decision));
  const ours = at(from);
  for (const { syncedAt } of used) {
    const size = syncedAt?.(instant, ours);
    if (size === undefined) continue;
    const synced = withActivityOf(ours.size === 0 ? toldActivity(instant) : ours, at(size));
    if (isEqual(synced)) return { past: remembered(synced) };
  }
  if (isEqual(ours)) return { past: remembered(ours) };
  const isAccepted = used.some(({ accepts }) => accepts?.(instant, ours));
  return isAccepted ? { past: takeOver(instant, ours) } : { ours };
}

type Activity = Pick<Stepped, "worked"> & { readonly decision: Pick<Decision, "activity"> };

/** The HPA of KEDA does not know about activity. */
function withActivityOf({ worked, decision: { activity } }: Activity, synced: Stepped): Stepped {
  const { activity: _, ...decision } = synced.decision;
  return { ...synced, worked, decision: { ...decision, ...(activity && { activity }) } };
}

/** At a zero that is not ours, ebb reads nothing. */
function toldActivity({ told: { worked }, step, past }: Instant): Activity {
  const activity = worked ? { lastWork: Date.parse(step.now) } : past.activity;
  return { worked, decision: activity ? { activity } : {} };
}

function decidesByActivity({ imported }: Instant): boolean {
  return imported.hpa.metadata.annotations?.["ebb.dev/zero"] !== undefined;
}

/** Rows that explain all differences, none of them in vain; or the instant that none explains. */
export function explainStory(story: Story, told: Told): { readonly rows: readonly Row[] } | Mismatch | Unruled {
  const unruled = firstUnruled(story, told);
  if (unruled !== undefined) return unruled;
  const reach = (given: readonly Row[]) => firstMismatch(story, told, given)?.index ?? Infinity;
  if (reach([]) === Infinity) return { rows: [] };
  const unexplained = firstMismatch(story, told, rows);
  if (unexplained !== undefined) return unexplained;
  return { rows: rows.reduce((used, row) => withoutOne(used, row, reach), rows) };
}

function withoutOne(used: readonly Row[], row: Row, reach: (given: readonly Row[]) => number): readonly Row[] {
  const fewer = used.filter((one) => one !== row);
  return reach(fewer) === Infinity ? fewer : used;
}
