import fc from "fast-check";
import type { Behavior } from "../../lib/k8s/hpa";
import { evaluate } from "../../lib/core/evaluate";
import { forecast, type Outlook } from "../../lib/read/explanation";
import type { History, Situation } from "../../lib/model/situation";
import { at, external, hpaWith, noon, options } from "../core/build";
import { expectToEqual } from "../expect-often";

const nothing: History = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };

function outlookWith(given: Partial<Outlook> & { readonly behavior?: Behavior }): Outlook {
  const { behavior, ...rest } = given;
  const hpa = hpaWith({ minReplicas: 1, maxReplicas: 100, ...(behavior === undefined ? {} : { behavior }) });
  return { hpa, options, history: nothing, replicas: 3, proposed: 3, at: noon, periodMs: 15_000, ...rest };
}

const seen = (replicas: number, seconds: number) => ({ replicas, since: at(seconds), at: at(seconds) });
const percent100 = { type: "Percent", value: 100, periodSeconds: 15 };
const tenAMinute: Behavior = {
  scaleDown: {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Pods", value: 10, periodSeconds: 60 }],
  },
};

test.each([
  ["no metric asks for another size: no moves", {}, []],
  [
    "windows that end one after the other, a move each",
    { replicas: 7, proposed: 3, history: { ...nothing, recommendations: [seen(7, -90), seen(5, 0)] }, behavior: {} },
    [
      { at: at(210), from: 7, to: 5 },
      { at: at(300), from: 5, to: 3 },
    ],
  ],
  [
    "without behavior the window's first moment still counts",
    { replicas: 7, proposed: 3, history: { ...nothing, recommendations: [seen(7, -90)] } },
    [{ at: at(210) + 1, from: 7, to: 3 }],
  ],
  [
    "zero waits for its confirmation, though the window is over",
    { hpa: hpaWith({ minReplicas: 0, behavior: tenAMinute }), replicas: 3, proposed: 0, zeroFrom: at(50) },
    [
      { at: at(15), from: 3, to: 1 },
      { at: at(50), from: 1, to: 0 },
    ],
  ],
  [
    "without behavior: at most double each sync",
    { replicas: 3, proposed: 20 },
    [
      { at: at(15), from: 3, to: 6 },
      { at: at(30), from: 6, to: 12 },
      { at: at(45), from: 12, to: 20 },
    ],
  ],
  [
    "a policy's period has to pass before it allows more",
    {
      replicas: 30,
      proposed: 5,
      history: { ...nothing, scaleDownEvents: [{ change: 10, at: at(-20) }] },
      behavior: tenAMinute,
    },
    [
      { at: at(40), from: 30, to: 20 },
      { at: at(100), from: 20, to: 10 },
      { at: at(160), from: 10, to: 5 },
    ],
  ],
  [
    "a scale found later counts from when it was found",
    {
      replicas: 30,
      proposed: 25,
      history: { ...nothing, scaleDownEvents: [{ change: 10, at: at(-70), foundAt: at(-20) }] },
      behavior: tenAMinute,
    },
    [{ at: at(40), from: 30, to: 25 }],
  ],
  [
    "the moves end at maxReplicas",
    { replicas: 80, proposed: 500, behavior: { scaleUp: { selectPolicy: "Max", policies: [percent100] } } },
    [{ at: at(15), from: 80, to: 100 }],
  ],
  [
    "a direction that is disabled does not move",
    { replicas: 9, proposed: 3, behavior: { scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: "Disabled" } } },
    [],
  ],
] satisfies readonly (readonly [string, Parameters<typeof outlookWith>[0], unknown])[])("%s", (_, given, moves) => {
  expect(forecast(outlookWith(given))).toEqual(moves);
});

const policy = fc.record({
  type: fc.constantFrom("Pods", "Percent"),
  value: fc.integer({ min: 1, max: 60 }),
  periodSeconds: fc.integer({ min: 1, max: 300 }),
});
const rules = fc.record({
  stabilizationWindowSeconds: fc.integer({ min: 0, max: 600 }),
  selectPolicy: fc.constantFrom("Max", "Min", "Disabled"),
  policies: fc.array(policy, { minLength: 1, maxLength: 2 }),
});
const moment = fc.integer({ min: -700, max: 0 }).map((seconds) => at(seconds));
const events = fc.array(fc.record({ change: fc.integer({ min: 1, max: 9 }), at: moment }), { maxLength: 3 });
const runs = fc.array(
  fc.record({ replicas: fc.integer({ min: 0, max: 40 }), at: moment }).map((run) => ({ ...run, since: run.at })),
  { maxLength: 4 },
);

/** The sync itself at `moment`, of an HPA whose only metric asks for `proposed`, whatever runs. */
function synced({ hpa, history, replicas, proposed }: Outlook, now: number): number {
  const metric = {
    type: "External",
    external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
  };
  const situation: Situation = {
    hpa: { ...hpa, spec: { ...hpa.spec, metrics: [metric] } },
    scale: { metadata: { name: "web" }, spec: { replicas }, status: { replicas: 0, selector: "app=web" } },
    pods: [],
    metrics: [external(proposed)],
    history,
    options,
    otherHpas: [],
  };
  return evaluate(situation, now).scaleTo ?? replicas;
}

test("the size stays until the forecast moment, and then changes as forecast", () => {
  const given = fc.record({
    replicas: fc.integer({ min: 1, max: 40 }),
    proposed: fc.integer({ min: 0, max: 40 }),
    history: fc.record({ recommendations: runs, scaleUpEvents: events, scaleDownEvents: events }),
    behavior: fc.option(fc.record({ scaleUp: rules, scaleDown: rules }), { nil: undefined }),
  });
  fc.assert(
    fc.property(given, ({ behavior, ...rest }) => {
      // evaluate takes a history without recommendations for a new HPA's.
      const recommendations = [...rest.history.recommendations, { replicas: rest.proposed, since: noon, at: noon }];
      const history = { ...rest.history, recommendations };
      const outlook = outlookWith({ ...rest, history, ...(behavior === undefined ? {} : { behavior }) });
      const [first] = forecast(outlook);
      const end = first?.at ?? at(1400);
      for (let now = outlook.at + outlook.periodMs; now < end; now += 1000) {
        expectToEqual([now, synced(outlook, now)], [now, outlook.replicas]);
      }
      if (first === undefined) return;
      if (first.at > outlook.at + outlook.periodMs) expect(synced(outlook, first.at - 1)).toBe(outlook.replicas);
      expect(synced(outlook, first.at)).toBe(first.to);
    }),
    { numRuns: 60 },
  );
});
