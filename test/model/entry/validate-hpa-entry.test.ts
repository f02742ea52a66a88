import { checkDocument } from "../../../cli/documents/check-document";
import { limits, sizeErrors } from "../../../lib/model/entry/limits";
import { sizeOf } from "../../../lib/model/size";
import { validateGivenHpa, validateHpaEntry } from "../../../lib/model/entry/validate-hpa-entry";

const metric = (index: number) => ({
  type: "External",
  external: { metric: { name: `queue-${index}` }, target: { type: "AverageValue", averageValue: "5" } },
});

const hpa = (given: {
  readonly metrics?: number;
  readonly name?: string;
  readonly note?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: {
    name: "orders",
    namespace: "shop",
    annotations: given.annotations ?? { note: "x".repeat(given.note ?? 0) },
  },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: given.name ?? "orders" },
    maxReplicas: 10,
    metrics: Array.from({ length: given.metrics ?? 1 }, (_, index) => metric(index)),
  },
});

test.each([
  ["a plain document", hpa({}), []],
  [
    "one metric too many",
    hpa({ metrics: limits.metricsPerHpa + 1 }),
    [
      "spec.metrics: expected at most 100 metrics, got 101 (a limit of ebb): let a metrics server or metric math combine them",
    ],
  ],
  [
    "a target's name that cannot exist",
    hpa({ name: "a".repeat(254) }),
    [
      "spec.scaleTargetRef.name: expected at most 253 bytes, as Kubernetes allows for a name, got 254 (a limit of ebb): name an object that can exist",
    ],
  ],
  [
    "an annotation of ebb's with a bad value",
    hpa({ annotations: { "ebb.dev/paused": "maybe" } }),
    ['metadata.annotations[ebb.dev/paused]: Invalid value: "maybe": must be "true" or "false"'],
  ],
  [
    "a misspelt annotation of ebb's",
    hpa({ annotations: { "ebb.dev/pause": "true" } }),
    [
      'metadata.annotations[ebb.dev/pause]: Invalid value: "true": unknown annotation of ebb, did you mean "ebb.dev/paused"?',
    ],
  ],
  [
    "a document beyond the limit",
    hpa({ note: 200 * 1024 }),
    [expect.stringMatching(/^metadata\.annotations\.note: expected a document of at most 131072 bytes, got \d+, most/)],
  ],
])("%s: the sync says of an entry what `ebb apply` says of a file", (_name, document, errors) => {
  expect(validateHpaEntry(document).errors).toEqual(errors);
  expect(validateGivenHpa(document, "shop").errors.map(({ text }) => text)).toEqual(errors);
});

test("what `ebb apply` stores at the limit, the sync accepts", () => {
  const bytesOf = (note: number) => sizeOf(validateGivenHpa(hpa({ note }), "shop").hpa);
  const room = limits.documentBytes - bytesOf(0);
  const atLimit = checkDocument(hpa({ note: room }), "shop");
  if ("errors" in atLimit) throw new Error(atLimit.errors.map(({ text }) => text).join("; "));
  expect(validateHpaEntry(atLimit.checked.document).errors).toEqual([]);
  expect(checkDocument(hpa({ note: room + 1 }), "shop")).toHaveProperty("errors");
});

test("what is not stored does not count", () => {
  const document = hpa({});
  const managedFields = [{ manager: "x".repeat(200 * 1024) }];
  const given = { ...document, metadata: { ...document.metadata, managedFields } };
  expect(validateGivenHpa(given, "shop").errors).toEqual([]);
});

test("a document that the load has measured is not measured again", () => {
  const document = hpa({});
  let reads = 0;
  const watched = new Proxy(document, {
    ownKeys(target) {
      reads += 1;
      return Reflect.ownKeys(target);
    },
  });
  sizeErrors(watched);
  const measured = reads;
  sizeErrors(watched);
  expect([measured, reads]).toEqual([1, 1]);
});
