import fc from "fast-check";
import { tryParse } from "../quantities";
import { oddQuantities } from "./quantities";
import { worlds } from "./situations";

type Path = readonly (string | number)[];

/** What replaces a value, by the type that it has. Now and then, a value of another type. */
const oddNumbers = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  fc.constantFrom(1_801, 3_600, 3_601, 2_147_483_647, 2_147_483_648, -2_147_483_648, 1.5, 1e30),
);
const names = fc.constantFrom(
  ...["", "x", "X", "a/b", "a%b", ".", "..", "a.b", "-a", "a b", "é", "a".repeat(64), "a".repeat(254), "cpu", "memory"],
  ...["apps/v1", "v1", "a/b/c", "autoscaling/v2", "storage", "example.com/gpu", "hugepages-2Mi", "<b>", '"', "\\"],
);
const types = fc.constantFrom(
  ...["Resource", "Pods", "Object", "External", "ContainerResource", "Utilization", "Value", "AverageValue"],
  ...["Max", "Min", "Disabled", "Percent", "ReplicationController", "Deployment", "Foo", "resource"],
);
const texts = fc.oneof(names, types, oddQuantities);
const anything = fc.oneof(texts, oddNumbers, fc.constantFrom(null, true, {}, [], { a: "b" }, [1]));

const change = fc.record({
  where: fc.nat(),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "remove", "repeat", "any"),
  text: texts,
  number: oddNumbers,
  quantity: oddQuantities,
  anything,
});
export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
export const changes = (most: number) => fc.array(change, { maxLength: most });

/** Every path below apiVersion and kind. */
function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, item]) =>
    path.length === 0 && (key === "apiVersion" || key === "kind")
      ? []
      : pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? inside : [path, ...inside];
}

export function withChanges(document: object, given: readonly Change[]): object {
  return given.reduce<object>((changed, one) => {
    const paths = pathsOf(changed);
    const path = paths[one.where % paths.length];
    return path === undefined ? changed : (changeAt(changed, path, one) as object);
  }, document);
}

function changeAt(value: unknown, [key, ...rest]: Path, one: Change): unknown {
  if (Array.isArray(value) && typeof key === "number") {
    const list: readonly unknown[] = value;
    if (rest.length > 0) return list.with(key, changeAt(list[key], rest, one));
    if (one.how === "remove") return list.toSpliced(key, 1);
    return one.how === "repeat" ? [...list, list[key]] : list.with(key, changed(list[key], one));
  }
  const map = value as Readonly<Record<string, unknown>>;
  const name = String(key);
  if (rest.length > 0) return { ...map, [name]: changeAt(map[name], rest, one) };
  if (one.how === "remove") return Object.fromEntries(Object.entries(map).filter(([other]) => other !== name));
  return { ...map, [name]: changed(map[name], one) };
}

function changed(value: unknown, one: Change): unknown {
  if (one.how === "any") return one.anything;
  if (typeof value === "string") return tryParse(value) === undefined ? one.text : one.quantity;
  return typeof value === "number" ? one.number : value;
}

const extraSource = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  { resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  { pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1" } } },
  { external: { metric: { name: "m" }, target: { type: "Value", value: "1", averageValue: "1" } } },
  { object: { describedObject: { kind: "Pod", name: "p" }, metric: { name: "m" }, target: { type: "Value" } } },
);

/** A document that a user may have written, in autoscaling/v2. */
export const written: fc.Arbitrary<object> = fc
  .record({ world: worlds, extra: extraSource, isBare: fc.constantFrom(false, false, false, false, true) })
  .map(({ world: { hpa }, extra, isBare }) => {
    const { spec, ...rest } = hpa as { readonly spec: { readonly metrics: readonly object[] } };
    if (isBare) return { ...rest, spec: { ...spec, metrics: undefined } };
    return {
      ...rest,
      spec: { ...spec, metrics: spec.metrics.map((one, index) => (index === 0 ? { ...one, ...extra } : one)) },
    };
  })
  .map((document) => JSON.parse(JSON.stringify(document)) as object);

const internalBehavior = fc.constantFrom(
  '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}]}}',
  '{"ScaleDown":{"SelectPolicy":"Disabled"}}',
  "{}",
  "{",
);

/** In autoscaling/v1: what it has no field for is in annotations. */
export const writtenInV1: fc.Arbitrary<object> = fc
  .record({
    minReplicas: fc.option(fc.integer({ min: -1, max: 3 }), { nil: undefined }),
    maxReplicas: fc.integer({ min: 0, max: 9 }),
    targetCPUUtilizationPercentage: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
    behavior: fc.option(internalBehavior, { nil: undefined }),
    metrics: fc.option(
      fc.constantFrom(
        '[{"type":"External","external":{"metricName":"m","targetValue":"3"}}]',
        '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"300m"}}]',
        '[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":50}}]',
        "[]",
        "[",
      ),
      { nil: undefined },
    ),
  })
  .map(({ behavior, metrics, ...numbers }) => {
    const prefix = "autoscaling.alpha.kubernetes.io";
    const annotations = { [`${prefix}/behavior`]: behavior, [`${prefix}/metrics`]: metrics };
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
    const metadata = { name: "hpa", namespace: "default", annotations };
    const spec = { scaleTargetRef, ...numbers };
    return { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", metadata, spec };
  })
  .map((document) => JSON.parse(JSON.stringify(document)) as object);

export const documents: fc.Arbitrary<object> = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: written }, { weight: 1, arbitrary: writtenInV1 }), changes(3))
  .map(([document, given]) => withChanges(document, given));

/** The stored one may be invalid: an older version accepted it, or it was written to the store by other means. */
export const updates: fc.Arbitrary<object> = fc
  .record({
    document: fc.oneof({ weight: 5, arbitrary: written }, { weight: 1, arbitrary: writtenInV1 }),
    before: changes(2),
    after: changes(2),
    generations: fc.record({ old: fc.constantFrom(undefined, 1, 7), new: fc.constantFrom(undefined, 1, 9, -1) }),
  })
  .map(({ document, before, after, generations }) => {
    const old = withChanges(document, before);
    return { old: stored(old, generations.old), new: stored(withChanges(old, after), generations.new) };
  });

/** The names are in the address of an update, so it cannot change them. */
function stored(document: object, generation: number | undefined): object {
  const { metadata } = document as { readonly metadata?: object };
  return { ...document, metadata: { ...metadata, name: "hpa", namespace: "default", generation } };
}
