import { randomStory } from "./random";
import type { Act, Story } from "./story";

/** A random story whose loads go on to move a little, too little for another size: what is shown follows. */
export function valuesStory(seed: number): Story {
  const story = randomStory(seed);
  const { acts, endMs, setting } = story;
  // A slot sees the value, and within a minute and a slot it is shown.
  const shownAfterMs = 90_000 + 2 * setting.periodSeconds * 1_000;
  const last = new Map<string, Act & { readonly do: "load" }>();
  for (const act of acts) if (act.do === "load") last.set(`${act.hpa} ${act.metric}`, act);
  const nudges = [...last.values()].map((act): Act => ({ ...act, atMs: endMs, depth: (act.depth * 51) / 50 }));
  return {
    ...story,
    acts: [...acts, ...nudges],
    checksMs: [...story.checksMs, endMs + shownAfterMs],
    endMs: endMs + shownAfterMs + 1_000,
  };
}
