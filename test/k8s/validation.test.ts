import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { HpaSpec } from "../../lib/k8s/hpa";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";

interface Vector {
  readonly id: string;
  readonly given: unknown;
  readonly expect: { readonly errors: readonly string[]; readonly spec?: HpaSpec };
}

function readVectors(name: string): Vector[] {
  const text = gunzipSync(readFileSync(join(__dirname, `../vectors/${name}.jsonl.gz`))).toString("utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Vector);
}

test.each([
  ["validation", 1986],
  ["validation-1.36", 1862],
])("every recorded document of %s gets upstream's errors or upstream's defaulted spec", (name, count) => {
  const vectors = readVectors(name);
  const answers = vectors.map(({ id, given }) => {
    const { errors, hpa } = validateHpa(given);
    return { id, expect: hpa === undefined ? { errors } : { errors, spec: hpa.spec } };
  });
  expect(answers).toEqual(vectors.map(({ id, expect }) => ({ id, expect })));
  expect(answers).toHaveLength(count);
});
