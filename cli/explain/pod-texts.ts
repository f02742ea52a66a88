import type { MetricReading } from "../../lib/core/explain/metric-reading";
import type { PodDetail } from "../../lib/model/step";

/** Which pods each metric of pods counted, and which it did not and why. One line, if that is the same for all. */
export function podTexts(metrics: readonly MetricReading[]): readonly string[] {
  const texts = metrics.flatMap(({ metric, pods }) => (pods === undefined ? [] : [{ metric, text: podText(pods) }]));
  const [first] = texts;
  if (first === undefined) return [];
  if (texts.every(({ text }) => text === first.text)) return [first.text];
  return texts.map(({ metric, text }) => `${metric}: ${text}`);
}

function podText({ ready, unready, missing, ignored, unreadyPods, missingPods, ignoredPods }: PodDetail): string {
  const others = [
    ...group(unready, "not ready yet", unreadyPods),
    ...group(missing, "without a sample", missingPods),
    ...group(ignored, "deleted or failed", ignoredPods),
  ];
  const all = ready + unready + missing + ignored;
  if (others.length === 0) return all === 1 ? "the only one counted" : `all ${all} counted`;
  return [`${ready} of ${all} counted`, ...others].join("; ");
}

/** "5 not ready yet: web-1, web-2, web-3 and 2 more". Older records have no names. */
function group(count: number, words: string, names: string | undefined): readonly string[] {
  if (count === 0) return [];
  if (names === undefined) return [`${count} ${words}`];
  const hidden = count - names.split(", ").length;
  return [`${count} ${words}: ${names}${hidden > 0 ? ` and ${hidden} more` : ""}`];
}
