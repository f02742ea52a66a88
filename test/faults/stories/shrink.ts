import { live } from "../world/world";
import type { Story } from "./story";

/** The smallest story that breaks the same rule: without the acts, incidents and HPAs that do not matter. */
export async function shrink(story: Story, rule: string): Promise<Story> {
  const breaks = async (candidate: Story) =>
    (await live(candidate)).violations.some(({ what }) => what.startsWith(`${rule}:`));
  const isCalm = ({ atMs }: { readonly atMs: number }) => atMs >= story.calmAtMs - 2_000;
  let smallest = story;

  async function reduce<T>(of: (story: Story) => readonly T[], put: (story: Story, list: readonly T[]) => Story) {
    for (let size = Math.ceil(of(smallest).length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let start = 0; start < of(smallest).length;) {
        const list = of(smallest);
        const candidate = put(smallest, [...list.slice(0, start), ...list.slice(start + size)]);
        if (await breaks(candidate)) smallest = candidate;
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
      (before, hpas) => (hpas.length === 0 ? before : withoutOthers({ ...before, hpas })),
    );
  }
  return smallest;
}

function withoutOthers(story: Story): Story {
  const keys = new Set(story.hpas.map(({ key }) => key));
  return { ...story, acts: story.acts.filter((act) => !("hpa" in act) || keys.has(act.hpa)) };
}

/** A story as a person reads it. */
export function describeStory({ setting, hpas, acts, incidents, calmAtMs }: Story): string {
  const at = (ms: number) => `${(ms / 1_000).toFixed(3)} s`.padStart(14);
  const happenings = [
    ...acts
      .filter(({ atMs }) => atMs < calmAtMs - 2_000)
      .map(({ atMs, ...act }) => ({ atMs, text: JSON.stringify(act) })),
    ...incidents.map(({ atMs, ...incident }) => ({ atMs, text: `incident ${JSON.stringify(incident)}` })),
  ].sort((a, b) => a.atMs - b.atMs);
  return [
    `setting ${JSON.stringify(setting)}`,
    ...hpas.map(({ key, replicas, spec }) => {
      const { minReplicas, maxReplicas, behavior, metrics = [] } = spec;
      const names = metrics.map(({ external }) => external?.metric.name);
      return `${key} with ${replicas} replicas: ${JSON.stringify({ minReplicas, maxReplicas, behavior, metrics: names })}`;
    }),
    ...happenings.map(({ atMs, text }) => `${at(atMs)}  ${text}`),
    `${at(calmAtMs)}  nothing goes wrong any more`,
  ].join("\n");
}
