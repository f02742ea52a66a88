import type { Pod } from "../../k8s/objects";
import type { PodDetail } from "../../model/step";
import type { PodGroups } from "./group-pods";

/** Keeps states small: an HPA may have 10,000 pods. */
const mostNames = 3;
/** A generated name's length. Of longer names the middle is cut: their ends differ. */
const longestName = 63;

export function podDetail({ ready, unready, missing, ignored }: PodGroups): PodDetail {
  return {
    ready: ready.length,
    unready: unready.length,
    missing: missing.length,
    ignored: ignored.length,
    ...(unready.length > 0 && { unreadyPods: firstNames(unready) }),
    ...(missing.length > 0 && { missingPods: firstNames(missing) }),
    ...(ignored.length > 0 && { ignoredPods: firstNames(ignored) }),
  };
}

/** Sorted: the same pods give the same text. */
function firstNames(pods: readonly Pod[]): string {
  const first: string[] = [];
  for (const { metadata } of pods) {
    if (first.length === mostNames && metadata.name >= (first.at(-1) ?? "")) continue;
    first.push(metadata.name);
    first.sort();
    first.length = Math.min(first.length, mostNames);
  }
  return first.map(shortName).join(", ");
}

function shortName(name: string): string {
  if (name.length <= longestName) return name;
  const half = (longestName - 1) / 2;
  return `${name.slice(0, half)}…${name.slice(-half)}`;
}
