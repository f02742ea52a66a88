import { validateHpaEntry } from "../../../lib/model/entry/validate-hpa-entry";
import { zeroRuleOf } from "../../../lib/model/entry/zero-rule";
import { cpu50, hpaWith, perPod } from "../../core/build";
import type { HpaSpec } from "../../../lib/k8s/hpa";

function hpaOf(text: string, spec: Partial<HpaSpec> = {}) {
  const hpa = hpaWith({ minReplicas: 0, metrics: [perPod, cpu50], ...spec });
  return { ...hpa, metadata: { ...hpa.metadata, annotations: { "ebb.dev/zero": text } } };
}

test.each([
  ["{}", { afterMs: 300_000, from: 1, initialAfterMs: 0 }],
  ['{"after": "1h30m", "from": 10}', { afterMs: 5_400_000, from: 10, initialAfterMs: 0 }],
  ['{"after": "0s", "initialAfter": "168h"}', { afterMs: 0, from: 1, initialAfterMs: 604_800_000 }],
])("%s", (text, expected) => {
  expect(validateHpaEntry(hpaOf(text)).errors).toEqual([]);
  expect(zeroRuleOf(hpaOf(text))).toEqual(expected);
});

test.each<[string, string, Partial<HpaSpec>]>([
  ["", 'must be JSON, such as {"after": "300s", "from": 1}', {}],
  ["true", 'must be JSON, such as {"after": "300s", "from": 1}', {}],
  ["[]", 'must be JSON, such as {"after": "300s", "from": 1}', {}],
  ["300s", 'must be JSON, such as {"after": "300s", "from": 1}', {}],
  ['{"after": 300}', "after: expected whole seconds from 0s to 168h in quotes, such as 30s, 5m or 1h, got 300", {}],
  ['{"after": "1ms"}', 'after: expected whole seconds from 0s to 168h in quotes, such as 30s, 5m or 1h, got "1ms"', {}],
  ['{"after": "-1s"}', 'after: expected whole seconds from 0s to 168h in quotes, such as 30s, 5m or 1h, got "-1s"', {}],
  [
    '{"initialAfter": "169h"}',
    'initialAfter: expected whole seconds from 0s to 168h in quotes, such as 30s, 5m or 1h, got "169h"',
    {},
  ],
  ['{"from": 0}', "from: expected a whole number, 1 or more, got 0", {}],
  ['{"from": "2"}', 'from: expected a whole number, 1 or more, got "2"', {}],
  [
    '{"from": 1.5, "after": null}',
    "from: expected a whole number, 1 or more, got 1.5; after: expected whole seconds from 0s to 168h in quotes, such as 30s, 5m or 1h, got null",
    {},
  ],
  ['{"form": 2}', "form: unknown field, did you mean from?", {}],
  ['{"__proto__": 2}', "__proto__: unknown field, expected one of after, from, initialAfter", {}],
  ['{"from": 11}', "from: expected at most spec.maxReplicas, which is 10, got 11", {}],
  ["{}", "needs spec.minReplicas 0, got 2: set it to 0, and from to 2", { minReplicas: 2 }],
  [
    "{}",
    "needs an External or Object metric: at zero, no metric of pods can be read; add one, or remove the annotation",
    { minReplicas: 1, metrics: [cpu50] },
  ],
])("%s: %s", (text, expected, spec) => {
  const { errors } = validateHpaEntry(hpaOf(text, spec));
  expect(errors.join("\n")).toContain(`metadata.annotations[ebb.dev/zero]: Invalid value:`);
  expect(errors.join("\n")).toContain(expected);
  expect(zeroRuleOf(hpaOf(text, spec))).toBeUndefined();
});

test("only an HPA can have it, and a typo is named", () => {
  const hpa = hpaWith();
  const wrong = { ...hpa, metadata: { ...hpa.metadata, annotations: { "ebb.dev/zeros": "{}" } } };
  expect(validateHpaEntry(wrong).errors.join()).toContain('did you mean "ebb.dev/zero"?');
});
