import { withoutNulls } from "../../../cli/understand/evaluate/read-history";
import { type StoryStep, readStory, withStatus } from "../../../cli/understand/evaluate/read-situation";
import type { Condition } from "../../../lib/k8s/objects";
import { evaluate } from "../../../lib/core/evaluate";
import { scalingOf } from "../../../cli/understand/explain/reason";
import { digest, type Digest, type Stabilized } from "../../../lib/core/explain/digest";
import { currentReplicas } from "../../../lib/core/gate";
import type { Decision, History, Situation } from "../../../lib/model/situation";
import { stabilize } from "../../../lib/core/stabilize";
import type { Decided } from "../../../parity/ask-ebb";
import { readVectors } from "../vectors";
import { expectToEqual } from "../../expect-often";

interface Story {
  readonly id: string;
  readonly steps: readonly { readonly expect: Decided }[];
}

interface Synced {
  readonly id: string;
  readonly now: number;
  readonly situation: Situation;
  readonly decision: Decision;
  readonly expected: Decided;
  readonly said: Digest;
}

/** Every sync of every recorded story, and what its steps say. */
function play(story: Story): readonly Synced[] {
  const { constant: first, steps } = readStory(withoutNulls(story));
  let constant = first;
  let history: History | null = null;
  return story.steps.map((step, index) => {
    const { now, seen } = steps[index] as StoryStep;
    const situation = { ...constant, ...seen, history };
    const decision = evaluate(situation, now);
    constant = withStatus(constant, decision.status);
    history = decision.history;
    const { scale, hpa, options } = situation;
    const from = "error" in scale ? 0 : currentReplicas(scale);
    const said = digest({ from, steps: decision.steps }, { hpa, options });
    return { id: `${story.id}[${index}]`, now, situation, decision, expected: step.expect, said };
  });
}

const syncs = readVectors<Story>("stories").flatMap(play);

const condition = ({ conditions }: Decided, type: string) =>
  (conditions as readonly Condition[]).find((one) => one.type === type);
const holdOf = ({ holds }: Digest, by: string) => holds.find((hold) => hold.by === by);

test("for every recorded sync, the digest says what upstream's conditions say, and nothing else", () => {
  const contradictions = syncs.flatMap(({ id, expected, said }) => {
    const [able, active, limited] = ["AbleToScale", "ScalingActive", "ScalingLimited"].map((type) =>
      condition(expected, type),
    );
    const decided = active?.status === "True" && said.proposed !== null;
    const claims = {
      scale: (said.obstacle?.reason === "FailedGetScale") === (able?.reason === "FailedGetScale"),
      disabled: (said.obstacle?.reason === "ScalingDisabled") === (active?.reason === "ScalingDisabled"),
      blind: !decided || said.metrics.some(({ asksFor }) => asksFor !== null),
      held:
        !decided ||
        expected.scaleTo !== null ||
        (holdOf(said, "stabilization") !== undefined) === able?.reason?.endsWith("Stabilized"),
      rate: !decided || (holdOf(said, "rate") !== undefined) === /Scale(Up|Down)Limit/.test(limited?.reason ?? ""),
      max: !decided || (holdOf(said, "maxReplicas") !== undefined) === (limited?.reason === "TooManyReplicas"),
      unread:
        said.metrics.filter(({ failure }) => failure !== undefined).length ===
        (said.proposed === null && said.metrics.length === 0
          ? 0
          : expected.events.filter((event) =>
              /^(FailedGet.*Metric|InvalidMetricSourceType)$/.test((event as { reason: string }).reason),
            ).length),
      answer: !decided || said.holds.length > 0 || said.proposed === expected.desiredReplicas,
      named: said.metrics.every(({ metric }) => metric !== "" && !metric.includes("LabelSelector")),
    };
    return Object.entries(claims).flatMap(([claim, holds]) => (holds ? [] : [`${id}: ${claim}`]));
  });
  expect(contradictions).toEqual([]);
});

test("every recorded scaling has a reason, and none names what a metric asks for on the other side of the move", () => {
  const kinds: Record<string, number> = {};
  for (const { id, situation, decision, said } of syncs) {
    if (decision.scaleTo === null || "error" in situation.scale) continue;
    const from = currentReplicas(situation.scale);
    const { cause } = scalingOf({ ...decision, from, ...said }) ?? {};
    const kind = cause?.kind ?? said.obstacle?.reason ?? "none";
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (cause?.kind !== "metric") continue;
    const asksFor = Math.max(0, cause.metric.asksFor ?? NaN);
    expectToEqual([id, Math.sign(asksFor - from)], [id, Math.sign(decision.scaleTo - from)]);
  }
  expect(Object.keys(kinds).toSorted()).toEqual(["TooFewReplicas", "metric", "window"]);
});

test("'until' is exact for every recorded hold: it holds one millisecond before, and no longer then", () => {
  let held = 0;
  for (const { id, situation, decision, said } of syncs) {
    const hold = holdOf(said, "stabilization") as Stabilized | undefined;
    const { scale, hpa, options } = situation;
    if (hold === undefined || hold.until === null || said.proposed === null || "error" in scale) continue;
    held += 1;
    const { behavior } = hpa.spec;
    const given = {
      proposed: said.proposed,
      current: currentReplicas(scale),
      history: decision.history,
      behavior,
      options,
    };
    const holder = (at: number) => {
      const step = stabilize(given, at);
      return step.stage === "stabilize" ? (step.detail?.lastSeen ?? null) : null;
    };
    // Without `behavior` the window's first moment counts.
    const ends = hold.until + (behavior === undefined ? 1 : 0);
    expectToEqual([id, holder(ends - 1)], [id, hold.lastSeen]);
    expect([id, holder(ends)]).not.toEqual([id, hold.lastSeen]);
  }
  expect(held).toBeGreaterThan(300);
});
