import type { HpaSpec } from "../../lib/k8s/hpa";
import { admit } from "../../parity/ask-ebb";
import { readVectors } from "../core/vectors";

interface Vector {
  readonly id: string;
  readonly given: unknown;
  readonly expect: { readonly errors: readonly string[]; readonly spec?: HpaSpec };
}

test.each([
  ["validation", 1986],
  ["validation-1.36", 1862],
])("every recorded document of %s gets upstream's errors or upstream's defaulted spec", (name, count) => {
  const vectors = readVectors<Vector>(name);
  const answers = vectors.map(({ id, given }) => ({ id, expect: admit(given) }));
  expect(answers).toEqual(vectors.map(({ id, expect }) => ({ id, expect })));
  expect(answers).toHaveLength(count);
});
