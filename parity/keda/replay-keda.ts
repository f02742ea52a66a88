import { isTrue } from "../../lib/core/conditions";
import { evaluate } from "../../lib/core/evaluate";
import { needsPods } from "../../lib/core/gate";
import { withDefaults } from "../../lib/k8s/defaults";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { defaultOptions } from "../../lib/model/entry/options";
import { type LoopGiven, type Read, readTriggers, serveMetric, turnLoop } from "./keda-loop";
import { type Imported, pastOf, type Past, podsOf, readPods, scaleOf } from "./step-ebb";
import type { Story, Told, ToldStep } from "./story";

export type Replayed = Pick<ToldStep, "polled" | "size" | "worked">;

/**
 * The steps that KEDA's rules lead to, as keda-loop.ts has them: the loop's turn, then a sync of KEDA's HPA. Taken from
 * `told`: the HPA, and which triggers are in fallback.
 */
export function replayKeda(story: Story, told: Told, imported: Imported): readonly Replayed[] {
  const { lastActiveTime } = story.object.status ?? {};
  const hpa = kedaHpa(story, told);
  let size = story.size;
  let lastActive = lastActiveTime === undefined ? undefined : Date.parse(lastActiveTime);
  let past: Past = { history: null };
  let found: readonly Read[] | undefined;
  return story.steps.map((step, index) => {
    const [inTurn = 0, inSync = 0] = told.steps[index]?.fallback ?? [];
    const isQuerying = isTrue(past.status?.conditions, "ScalingActive");
    const given: LoopGiven = { story, imported, step, size: step.setTo ?? size, bits: inTurn, lastActive };
    const { polled, worked } = turnLoop({ ...given, observed: isQuerying ? found : undefined });
    if (worked) lastActive = Date.parse(step.now);
    const asked = { ...given, size: polled, bits: inSync };
    if (polled > 0) found = readTriggers(asked);
    const synced = syncHpa(asked, hpa, past);
    past = synced.past;
    size = synced.size;
    return { polled, size, worked };
  });
}

function kedaHpa({ object: { metadata } }: Story, { hpa: spec }: Told): HorizontalPodAutoscaler {
  const { name, namespace, creationTimestamp } = metadata;
  return withDefaults({ metadata: { name, namespace, creationTimestamp }, spec } as never);
}

/** Decides as upstream's HPA controller does: without ebb's annotations and rules. */
function syncHpa(given: LoopGiven, hpa: HorizontalPodAutoscaler, { status, ...memory }: Past) {
  const { story, step, size } = given;
  const metrics = (hpa.spec.metrics ?? []).map((metric) =>
    metric.external === undefined
      ? readPods(metric, { story: story.object, step, size })
      : serveMetric(given, metric.external.metric.name),
  );
  const scale = scaleOf(size);
  const hasPods = (hpa.spec.metrics ?? []).some((metric) => needsPods(metric, scale));
  const decision = evaluate(
    {
      ...{ hpa: { ...hpa, ...(status && { status }) }, scale },
      ...{ pods: hasPods ? podsOf(step, size) : [], metrics, options: defaultOptions, otherHpas: [], ...memory },
    },
    Date.parse(step.now),
  );
  return { size: decision.scaleTo ?? size, past: pastOf(decision) };
}
