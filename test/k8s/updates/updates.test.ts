import { validateHpa } from "../../../lib/k8s/validate/validate-hpa";
import { readVectors } from "../../core/vectors";
import { type UpdateAnswer, answerUpdate } from "./answer-update";
import type { HpaLike } from "./update-pairs";

interface Vector {
  readonly id: string;
  readonly stored: HpaLike;
  readonly given: HpaLike;
  readonly expect: UpdateAnswer;
}

const vectors = readVectors<Vector>("updates");

test("every recorded update has the API server's errors, or its generation and spec", () => {
  const answers = vectors.map(({ id, stored, given }) => ({ id, expect: answerUpdate(stored, given) }));
  expect(answers).toEqual(vectors.map(({ id, expect }) => ({ id, expect })));
  expect(answers).toHaveLength(360);
});

test("of these, a creation would refuse some, and say others differently", () => {
  const created = vectors.map(({ given, expect }) => ({ errors: validateHpa(given).errors, expect }));
  const refused = created.filter(({ errors, expect }) => errors.length > 0 && !("errors" in expect));
  const reworded = created.filter(({ errors, expect }) => "errors" in expect && errors.join() !== expect.errors.join());
  expect(refused.length).toBeGreaterThan(80);
  expect(reworded.length).toBeGreaterThan(80);
});

const reference = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const hpa = (spec: object): HpaLike => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "shop", generation: 4 },
  spec: { scaleTargetRef: reference, maxReplicas: 5, ...spec },
});
const version = (apiVersion: string | undefined, more: object = {}) => ({
  scaleTargetRef: { ...reference, ...more, apiVersion },
});
const noGroup = 'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group';

describe("of an invalid stored HPA", () => {
  test.each<[string, object, object, readonly string[]]>([
    ["the same apiVersion and kind", version("v1"), { ...version("v1"), maxReplicas: 9 }, []],
    ["another name of the target", version("v1"), version("v1", { name: "worker" }), []],
    ["another kind", version("v1"), version("v1", { kind: "StatefulSet" }), [noGroup]],
    ["another apiVersion", version("v2"), version("v1"), [noGroup]],
    ["absent and empty are the same apiVersion", version(""), version(undefined), []],
    [
      "a minReplicas that stays: its error is first",
      { minReplicas: -1 },
      { minReplicas: -1, maxReplicas: -2 },
      [
        "spec.minReplicas: Invalid value: -1: must be greater than or equal to 0",
        "spec.maxReplicas: Invalid value: -2: must be greater than or equal to `minReplicas`",
        "spec.maxReplicas: Invalid value: -2: must be greater than or equal to 1",
      ],
    ],
    [
      "a maxReplicas that stays: the old text",
      { maxReplicas: 0, minReplicas: 0 },
      { maxReplicas: 0, minReplicas: -1 },
      [
        "spec.maxReplicas: Required value: must be set and greater than 0",
        "spec.minReplicas: Invalid value: -1: must be greater than or equal to 0",
      ],
    ],
  ])("%s", (_name, stored, given, errors) => {
    const answer = answerUpdate(hpa(stored), hpa(given));
    expect("errors" in answer ? answer.errors : []).toEqual(errors);
  });

  test("fields that no version has do not count, and a spec that cannot be read gives no leave", () => {
    const given = hpa(version("v1"));
    expect(answerUpdate(hpa({ ...version("v1"), newer: 1 }), given)).toHaveProperty("generation");
    expect(answerUpdate(hpa({ ...version("v1"), maxReplicas: "five" }), given)).toEqual({ errors: [noGroup] });
  });
});

describe("the generation", () => {
  const queue = (value: unknown, selector?: object) => ({
    metrics: [
      { type: "External", external: { metric: { name: "queue", selector }, target: { type: "Value", value } } },
    ],
  });
  test.each<[string, object, object, number]>([
    ["defaults spelled out", {}, { minReplicas: 1 }, 4],
    ["another spelling of a quantity", queue("2.500"), queue("2500m"), 4],
    ["another quantity", queue("2.500"), queue("2501m"), 5],
    ["an empty matchLabels", queue(1, { matchLabels: {} }), queue(1, {}), 4],
    ["a selector that selects nothing more", queue(1), queue(1, {}), 5],
    ["another maximum", {}, { maxReplicas: 6 }, 5],
    ["a tolerance in other words", rules("0.1"), rules("100m"), 4],
    ["another tolerance", rules("0.1"), rules("101m"), 5],
  ])("%s", (_name, stored, given, generation) => {
    expect(answerUpdate(hpa(stored), hpa(given))).toMatchObject({ generation });
  });
});

function rules(tolerance: string): object {
  return { behavior: { scaleUp: { tolerance } } };
}
