import { askEbb } from "../../parity/ask-ebb";
import type { Upstream } from "../../parity/ask-upstream";
import type { Answer, Case } from "../../parity/case";
import { compare, inOneOrder } from "../../parity/compare";
import { explainAll, shrinkFinding } from "../../parity/find-differences";
import { generate } from "../../parity/generate/cases";

const document = (spec: object): Case => ({
  kind: "document",
  given: {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "hpa" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" }, maxReplicas: 3, ...spec },
  },
});
const threshold = (value: string) =>
  document({ metrics: [{ type: "External", external: { metric: { name: "m" }, target: { type: "Value", value } } }] });

/** Answers as ebb, but for one change. */
function upstreamThat(change: (text: string, given: string) => string): Upstream {
  const answer = (one: Parameters<Upstream["ask"]>[0][number]) =>
    JSON.parse(change(JSON.stringify(askEbb(one as Case)), JSON.stringify(one.given))) as Answer;
  return { ask: (cases) => Promise.resolve(cases.map(answer)), close: () => Promise.resolve() };
}

test("no difference", async () => {
  expect(
    await explainAll(
      [threshold("5")],
      upstreamThat((text) => text),
    ),
  ).toEqual([undefined]);
});

test("a row explains a difference that is gone without its cause", async () => {
  const upstream = upstreamThat((text) => text.replace('"1e21"', '"1"'));
  const [explained] = await explainAll([threshold("1000E")], upstream);
  expect(explained?.rows).toEqual(["A quantity from 1000E on"]);
});

test("a row explains nothing that is still there without its cause", async () => {
  const upstream = upstreamThat((text) => text.replace('"1e21"', '"1"').replace('"maxReplicas":3', '"maxReplicas":4'));
  const [explained] = await explainAll([threshold("1000E")], upstream);
  expect(explained).toMatchObject({ rows: [], difference: { path: "spec.maxReplicas", upstream: 4, ebb: 3 } });
});

test("an update's generation is compared", async () => {
  const { given } = threshold("5");
  const update: Case = { kind: "update", given: { old: given, new: threshold("6").given } };
  const [explained] = await explainAll(
    [update],
    upstreamThat((text) => text.replace('"generation":1', '"generation":2')),
  );
  expect(explained).toMatchObject({ rows: [], difference: { path: "generation", upstream: 2, ebb: 1 } });
});

test("a finding has the smallest question that differs in the same way", async () => {
  const upstream = upstreamThat((text, given) => (given.includes('"name":"m"') ? text.replace('"5"', '"6"') : text));
  const { spec } = threshold("5").given as { readonly spec: object };
  const one = document({ ...spec, minReplicas: 2 });
  const [explained] = await explainAll([one], upstream);
  const finding = await shrinkFinding(one, explained!, { upstream, isOver: () => false });
  expect(finding).toMatchObject({ rows: [], difference: { upstream: "6", ebb: "5" } });
  expect(JSON.stringify(finding.given).length).toBeLessThan(JSON.stringify(one.given).length);
  const unshrunk = await shrinkFinding(one, explained!, { upstream, isOver: () => true });
  expect(unshrunk.given).toEqual(one.given);
});

test("words that refuse, and the order of a Go map, are no differences", () => {
  const errors = (...list: string[]): Answer => ({ expect: { errors: list } });
  const [one, other] = ["a", "b"].map((field) => `${field}: Forbidden: must populate the given metric source only`);
  expect(compare({ unreadable: "json: …" }, errors("expected a number"))).toEqual([]);
  expect(compare(errors(one!, other!), errors(other!, one!))).toEqual([]);
  expect(compare(errors("x: y", one!), errors(one!, "x: y"))).toHaveLength(2);
  expect(compare({ crash: "nil" }, errors("x: y"))).toHaveLength(1);
});

test("the same seed generates the same cases, and ebb can read each", () => {
  for (const kind of ["decision", "story", "document", "update"] as const) {
    const cases = generate(kind, 11, 20);
    expect(generate(kind, 11, 20)).toEqual(cases);
    if (kind === "decision" || kind === "story")
      expect(cases.map(askEbb).filter((answer) => !("expect" in answer))).toEqual([]);
  }
});

test("an answer is recorded in one order, whatever Go's map gives", () => {
  const answer = (...names: readonly string[]) => ({
    expect: [{ message: `… are controlled by more than one HPA (e.g. [${names.join(" ")}])` }],
  });
  expect(inOneOrder(answer("default/other", "default/hpa"))).toEqual(answer("default/hpa", "default/other"));
});
