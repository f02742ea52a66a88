import type { Story } from "./story";

export interface ShrinkContext {
  /** Whether a story breaks the same rule. */
  readonly breaks: (candidate: Story) => Promise<boolean>;
  /** Asked before each run. */
  readonly hasTime: () => boolean;
}

export interface Shrunk {
  readonly story: Story;
  /** Time ran out: a smaller story may exist. */
  readonly isCut: boolean;
}

/**
 * The smallest story that breaks the same rule: without the acts, incidents and HPAs that do not matter. When time runs
 * out, the smallest one found so far.
 */
export async function shrink(story: Story, { breaks, hasTime }: ShrinkContext): Promise<Shrunk> {
  const isCalm = ({ atMs }: { readonly atMs: number }) => atMs >= story.calmAtMs - 2_000;
  let smallest = story;

  async function reduce<T>(
    of: (story: Story) => readonly T[],
    put: (story: Story, list: readonly T[]) => Story | undefined,
  ) {
    for (let size = Math.ceil(of(smallest).length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let start = 0; start < of(smallest).length;) {
        if (!hasTime()) return;
        const list = of(smallest);
        const candidate = put(smallest, [...list.slice(0, start), ...list.slice(start + size)]);
        if (candidate !== undefined && (await breaks(candidate))) smallest = candidate;
        else start += size;
      }
    }
  }

  for (let round = 0; round < 2; round += 1) {
    await reduce(
      ({ incidents }) => incidents,
      (before, incidents) => ({ ...before, incidents }),
    );
    await reduce(
      ({ acts }) => acts.filter((act) => !isCalm(act)),
      (before, acts) => ({ ...before, acts: [...acts, ...before.acts.filter(isCalm)] }),
    );
    await reduce(
      ({ hpas }) => hpas,
      (before, hpas) => (hpas.length === 0 ? undefined : withoutOthers({ ...before, hpas })),
    );
  }
  return { story: smallest, isCut: !hasTime() };
}

function withoutOthers(story: Story): Story {
  const keys = new Set(story.hpas.map(({ key }) => key));
  return { ...story, acts: story.acts.filter((act) => !("hpa" in act) || keys.has(act.hpa)) };
}

/** A story as a person reads it. */
export function describeStory({ setting, hpas, acts, incidents, calmAtMs, crowd }: Story): string {
  const at = (ms: number) => `${(ms / 1_000).toFixed(3)} s`.padStart(14);
  const happenings = [
    ...acts
      .filter(({ atMs }) => atMs < calmAtMs - 2_000)
      .map(({ atMs, ...act }) => ({ atMs, text: JSON.stringify(act) })),
    ...incidents.map(({ atMs, ...incident }) => ({ atMs, text: `incident ${JSON.stringify(incident)}` })),
  ].sort((a, b) => a.atMs - b.atMs);
  return [
    `setting ${JSON.stringify(setting)}`,
    ...(crowd === undefined ? [] : [`beside ${crowd.items.length} items: ${crowd.name}`]),
    ...hpas.map(({ key, replicas, spec, busy }) => {
      const { minReplicas, maxReplicas, behavior, metrics = [] } = spec;
      const names = metrics.map(({ external, pods, type }) => external?.metric.name ?? pods?.metric.name ?? type);
      return `${key} with ${replicas} replicas: ${JSON.stringify({ minReplicas, maxReplicas, behavior, metrics: names, busy })}`;
    }),
    ...happenings.map(({ atMs, text }) => `${at(atMs)}  ${text}`),
    `${at(calmAtMs)}  nothing goes wrong any more`,
  ].join("\n");
}
