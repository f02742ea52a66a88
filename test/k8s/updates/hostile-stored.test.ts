import fc from "fast-check";
import { comparableSpec } from "../../../lib/k8s/comparable-spec";
import { decodeStored } from "../../../lib/k8s/codec/decode-stored";
import { answerUpdate } from "./answer-update";
import type { HpaLike } from "./update-pairs";

const valid: HpaLike = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 5 },
};

/** What a person may have put where a document has something else. */
const anything = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true, maxDepth: 3 }),
  fc.constantFrom("", "a/b/c", -1, 0, 1e308, "1e2147483647", "9".repeat(300)),
);

test("whatever is stored, a valid document replaces it", () => {
  const stored = fc.record(
    {
      apiVersion: fc.constantFrom("autoscaling/v2", "autoscaling/v1", "autoscaling/v2beta2", "v1"),
      kind: fc.constant("HorizontalPodAutoscaler"),
      metadata: fc.oneof(anything, fc.dictionary(fc.constantFrom("name", "generation", "annotations"), anything)),
      spec: fc.oneof(
        anything,
        fc.dictionary(fc.constantFrom(...Object.keys(valid.spec), "metrics", "behavior"), anything),
      ),
      status: anything,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(stored, (document) => {
      expect(answerUpdate(document as unknown as HpaLike, valid)).toHaveProperty("generation", expect.any(Number));
    }),
  );
});

test("what the codec reads can be compared, however its quantities are written", () => {
  const digits = fc.stringMatching(/^[+-]?[0-9]{1,30}(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,10}|[numkMGTPE]|[KMGTPE]i)?$/);
  fc.assert(
    fc.property(digits, (value) => {
      const target = { type: "Value", value };
      const metrics = [{ type: "External", external: { metric: { name: "q" }, target } }];
      const hpa = decodeStored({ ...valid, spec: { ...valid.spec, metrics } }, "known");
      if (hpa !== undefined) expect(comparableSpec(hpa.spec)).toEqual(comparableSpec(hpa.spec));
    }),
  );
});
