import { checkDocument } from "../../../cli/write/documents/check-document";
import { toV1 } from "../../../lib/k8s/codec/encode-v1";
import { limits, sizeErrors } from "../../../lib/model/entry/limits";
import { sizeOf } from "../../../lib/model/size";
import { ownPeriodSeconds } from "../../../lib/model/entry/options";
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
  readonly syncPeriodSeconds?: unknown;
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
    ...("syncPeriodSeconds" in given ? { syncPeriodSeconds: given.syncPeriodSeconds } : {}),
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
  expect(validateGivenHpa(document, { namespace: "shop" }).errors.map(({ text }) => text)).toEqual(errors);
});

test("what `ebb apply` stores at the limit, the sync accepts", () => {
  const bytesOf = (note: number) => sizeOf(validateGivenHpa(hpa({ note }), { namespace: "shop" }).hpa);
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
  expect(validateGivenHpa(given, { namespace: "shop" }).errors).toEqual([]);
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

const v1Spec = { scaleTargetRef: { kind: "Deployment", name: "orders", apiVersion: "apps/v1" }, maxReplicas: 10 };
const byAnnotation = (value: string, more: object = {}) =>
  hpa({ annotations: { "ebb.dev/sync-period": value }, ...more });
const form = "must be whole seconds from 1s to 1h, such as 30s, 5m or 1h";
const named = (value: string) => `metadata.annotations[ebb.dev/sync-period]: Invalid value: "${value}"`;

test.each<[string, object, number | undefined]>([
  ["no period", hpa({}), undefined],
  ["30s", byAnnotation("30s"), 30],
  ["5m", byAnnotation("5m"), 300],
  ["1h", byAnnotation("1h"), 3_600],
  ["1m30s", byAnnotation("1m30s"), 90],
  ["the field", hpa({ syncPeriodSeconds: 45 }), 45],
  ["both, and they say the same", byAnnotation("5m", { syncPeriodSeconds: 300 }), 300],
  ["the field of v1", { ...hpa({}), apiVersion: "autoscaling/v1", spec: { ...v1Spec, syncPeriodSeconds: 60 } }, 60],
])("an own period: %s", (_, document, seconds) => {
  const { errors, hpa } = validateHpaEntry(document);
  expect(errors).toEqual([]);
  expect(hpa && ownPeriodSeconds(hpa)).toBe(seconds);
});

test.each<[string, object, string]>([
  ["no unit", byAnnotation("30"), `${named("30")}: ${form}`],
  ["parts of a second", byAnnotation("1500ms"), `${named("1500ms")}: ${form}`],
  ["nothing", byAnnotation("0s"), `${named("0s")}: ${form}`],
  ["more than an hour", byAnnotation("61m"), `${named("61m")}: ${form}`],
  ["no duration", byAnnotation("often"), `${named("often")}: ${form}`],
  [
    "both, and they differ",
    byAnnotation("5m", { syncPeriodSeconds: 60 }),
    `${named("5m")}: must be equal to spec.syncPeriodSeconds, which is 60; remove one of the two`,
  ],
  [
    "a field of 0",
    hpa({ syncPeriodSeconds: 0 }),
    "spec.syncPeriodSeconds: Invalid value: 0: must be greater than or equal to 1",
  ],
  [
    "a field above an hour",
    hpa({ syncPeriodSeconds: 3_601 }),
    "spec.syncPeriodSeconds: Invalid value: 3601: must be less than or equal to 3600",
  ],
  [
    "a version without the field",
    { ...hpa({}), apiVersion: "autoscaling/v2beta2", spec: { ...hpa({}).spec, syncPeriodSeconds: 60 } },
    'strict decoding error: unknown field "spec.syncPeriodSeconds"',
  ],
])("a refused period: %s", (_, document, error) => {
  expect(validateHpaEntry(document).errors).toEqual([error]);
});

test("autoscaling/v1 carries the field too", () => {
  const read = validateHpaEntry(hpa({ syncPeriodSeconds: 45 })).hpa;
  const asV1 = read && toV1(read);
  expect(asV1?.spec.syncPeriodSeconds).toBe(45);
  expect(validateHpaEntry(JSON.parse(JSON.stringify(asV1))).hpa?.spec).toEqual(read?.spec);
});

test("an entry needs a name: nothing makes one of its generateName", () => {
  const { errors } = validateHpaEntry({ ...hpa({}), metadata: { namespace: "shop", generateName: "web-" } });
  expect(errors).toEqual(["metadata.name: Required value: name is required"]);
});
