import fc from "fast-check";

/** A stored HPA and documents that would replace it, in autoscaling/v2 or v1. */
export interface UpdatePairs {
  readonly stored: HpaLike;
  readonly given: readonly HpaLike[];
}

export interface HpaLike {
  readonly apiVersion: string;
  readonly kind: "HorizontalPodAutoscaler";
  readonly metadata: Members;
  readonly spec: Members;
}

type Members = Readonly<Record<string, unknown>>;

/** Absent where it draws undefined. */
type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const fields = (of: Fields): fc.Arbitrary<Members> =>
  fc
    .record(of)
    .map((drawn) => Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as Members);

const rarely = (often: fc.Arbitrary<unknown>, seldom: fc.Arbitrary<unknown>) =>
  fc.oneof({ arbitrary: often, weight: 30 }, { arbitrary: seldom, weight: 1 });

const apiVersion = rarely(
  fc.constantFrom("apps/v1", "apps/v1", "example.com/v1"),
  fc.constantFrom(undefined, "", "v1", "/", "/v1", "apps/", "a/b/c", "a/b/c/d", "apps/v1beta1"),
);
const kind = rarely(fc.constantFrom("Deployment", "ReplicationController"), fc.constantFrom("", "a/b", "..", "%"));
const name = rarely(fc.constantFrom("web", "Web"), fc.constantFrom("", ".", "a/b", "50%"));
const reference = fields({ apiVersion, kind, name });

const amount = rarely(
  fc.constantFrom("1", "1000m", "2.500", "2500m", "1k", 1000, "1Gi", "1e3"),
  fc.constantFrom("0", "-1", undefined),
);
const metric = fields({
  name: rarely(fc.constant("queue"), fc.constantFrom("", "a/b")),
  selector: rarely(fc.constant(undefined), fc.constantFrom({}, { matchLabels: {} }, { matchLabels: { a: "b" } })),
});
const target = fields({
  type: rarely(fc.constantFrom("Value", "AverageValue"), fc.constantFrom("", "Average")),
  value: rarely(fc.constant(undefined), amount),
  averageValue: amount,
  averageUtilization: rarely(fc.constant(undefined), fc.constantFrom(0, 50, -1)),
});
const sources: Fields = {
  Object: fields({ describedObject: reference, metric, target }),
  External: fields({ metric, target }),
  Pods: fields({ metric, target }),
  Resource: fields({ name: rarely(fc.constantFrom("cpu", "memory"), fc.constant("")), target }),
  ContainerResource: fields({
    name: rarely(fc.constant("cpu"), fc.constantFrom("", "<b>", "requests.cpu")),
    container: rarely(fc.constant("app"), fc.constantFrom("", "a.b", "A")),
    target,
  }),
};
const fieldOf = (type: string) => type.charAt(0).toLowerCase() + type.slice(1);
const metricSpec = fc.oneof(
  ...Object.entries(sources).map(([type, source]) => fields({ type: fc.constant(type), [fieldOf(type)]: source })),
);
const oddMetricSpec = fc.oneof(
  fields({ type: fc.constantFrom("", "Objects", "Pods"), external: sources["External"] ?? metric }),
  fields({ type: fc.constantFrom("Object"), object: sources["Object"] ?? metric, pods: sources["Pods"] ?? metric }),
);

const seconds = rarely(fc.constantFrom(0, 60, 1800), fc.constantFrom(-1, 3601, 1801));
const policy = fields({
  type: rarely(fc.constantFrom("Pods", "Percent"), fc.constantFrom("", "Replicas")),
  value: rarely(fc.constantFrom(1, 100), fc.constantFrom(0, -1)),
  periodSeconds: seconds,
});
const rules = fields({
  stabilizationWindowSeconds: rarely(fc.constant(undefined), seconds),
  selectPolicy: rarely(fc.constantFrom(undefined, "Max", "Min", "Disabled"), fc.constantFrom("", "max")),
  policies: fc.oneof(
    fc.constant(undefined),
    fc.array(policy, { minLength: 1, maxLength: 2 }),
    rarely(fc.constant(undefined), fc.constant([])),
  ),
  tolerance: rarely(fc.constant(undefined), fc.constantFrom("0.1", "100m", 0, 0.5, "-1m", "0.100")),
});
const behavior = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 2 },
  { arbitrary: fields({ scaleUp: rarely(rules, fc.constant(undefined)), scaleDown: rules }), weight: 1 },
);

const replicas = { min: [undefined, 1, 2, 0], max: [3, 5, 1] };
const spec: Fields = {
  scaleTargetRef: reference,
  minReplicas: rarely(fc.constantFrom(...replicas.min), fc.constantFrom(-1, -2, 9)),
  maxReplicas: rarely(fc.constantFrom(...replicas.max), fc.constantFrom(0, -1, undefined, -(2 ** 31))),
  metrics: rarely(
    fc.array(metricSpec, { maxLength: 2 }),
    fc.constantFrom(undefined).chain(() => fc.array(oddMetricSpec, { maxLength: 2 })),
  ),
  behavior,
};

const metadata: Fields = {
  labels: rarely(fc.constantFrom(undefined, { a: "b" }, { a: "c" }), fc.constantFrom({ "a b": "c" }, { a: "b c" }, {})),
  annotations: rarely(fc.constantFrom(undefined, { note: "x" }), fc.constantFrom({ "a/b/c": "d" }, {})),
  generateName: rarely(fc.constant(undefined), fc.constantFrom("web-", "Web_", "a/b", "..")),
};

/** What an update may leave unchecked, in all its spellings; everything else is valid. */
const focussed: Fields = {
  scaleTargetRef: fields({
    apiVersion: fc.constantFrom("apps/v1", undefined, "v1", "a/b/c", "/v1"),
    kind: fc.constantFrom("Deployment", "ReplicationController", ""),
    name: fc.constantFrom("web", "worker"),
  }),
  minReplicas: fc.constantFrom(undefined, 1, 1, 0, 2, 2, -1, -2),
  maxReplicas: fc.constantFrom(3, 3, 4, 4, 4, 2, 0, -1, undefined),
  metrics: fc.array(
    fields({
      type: fc.constant("Object"),
      object: fields({
        describedObject: fields({
          apiVersion: fc.constantFrom("v1", undefined, "a/b/c", "x/y/z"),
          kind: fc.constant("Ingress"),
          name: fc.constant("web"),
        }),
        metric: fc.constant({ name: "queue" }),
        target: fields({
          type: fc.constant("Value"),
          value: fc.constantFrom("1", "1000m", "2.500", "2500m", 1, "0.001k"),
        }),
      }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
};

const document = (apiVersion: string, metadata: Members, spec: Members): HpaLike => ({
  apiVersion,
  kind: "HorizontalPodAutoscaler",
  metadata,
  spec,
});

/** Keeps about two fields of three as the stored document has them. */
function replaced(before: Members, redrawn: Fields): fc.Arbitrary<Members> {
  const drawn = Object.entries(redrawn).map(([field, drawing]) => {
    const kept = { arbitrary: fc.constant(before[field]), weight: 2 };
    return [field, fc.oneof(kept, { arbitrary: drawing, weight: 1 })] as const;
  });
  return fields(Object.fromEntries(drawn));
}

const carried = (kind: string, values: readonly unknown[]) =>
  fc
    .constantFrom(undefined, ...values.map((value) => JSON.stringify(value)))
    .map((text): Members => (text === undefined ? {} : { [`autoscaling.alpha.kubernetes.io/${kind}`]: text }));

const object = (apiVersion: string) => ({
  type: "Object",
  object: { target: { kind: "Ingress", name: "web", apiVersion }, metricName: "queue", targetValue: "1" },
});
const scaleUp = { StabilizationWindowSeconds: 0, SelectPolicy: "Max", Tolerance: null };
const policies = [{ Type: "Pods", Value: 4, PeriodSeconds: 15 }];
const scaleDown = { ...scaleUp, StabilizationWindowSeconds: null, Policies: policies };

/** autoscaling/v1, with annotations for what it has no field for. */
const inV1 = {
  spec: {
    scaleTargetRef: focussed["scaleTargetRef"] ?? reference,
    minReplicas: focussed["minReplicas"] ?? seconds,
    maxReplicas: focussed["maxReplicas"] ?? seconds,
    targetCPUUtilizationPercentage: fc.constantFrom(undefined, 50, 80, 0),
  },
  metadata: {
    annotations: fc
      .tuple(
        carried("metrics", [[object("v1")], [object("a/b/c")], [], "no list"]),
        carried("behavior", [
          { ScaleUp: { ...scaleUp, Policies: policies }, ScaleDown: scaleDown },
          { ScaleUp: { ...scaleUp, Policies: [] }, ScaleDown: scaleDown },
        ]),
      )
      .map(([metrics, behavior]) => ({ ...metrics, ...behavior })),
  },
} satisfies Record<string, Fields>;

interface Drawn {
  readonly stored: { readonly spec: Fields; readonly metadata: Fields };
  /** Draws the next version; default: of the stored one, with about a third of its fields redrawn. */
  readonly next?: { readonly spec: Fields; readonly metadata: Fields };
}

function pairs({ stored, next }: Drawn): fc.Arbitrary<UpdatePairs> {
  return fc
    .record({
      spec: fields(stored.spec),
      metadata: fields(stored.metadata),
      server: fields({ name: fc.constantFrom(...names), generation: fc.constantFrom(1, 1, 7, undefined) }),
    })
    .chain(({ spec: before, metadata: meta, server }) => {
      const drawing = next
        ? { spec: fields(next.spec), metadata: fields(next.metadata) }
        : { spec: replaced(before, stored.spec), metadata: replaced(meta, stored.metadata) };
      const version = next ? "autoscaling/v1" : "autoscaling/v2";
      const given = fc
        .record(drawing)
        .map((drawn) => document(version, { ...drawn.metadata, name: server["name"] }, drawn.spec));
      return fc.record({
        stored: fc.constant(document("autoscaling/v2", { ...meta, ...server }, before)),
        given: fc.array(given, { minLength: givenPerStored, maxLength: givenPerStored }),
      });
    });
}

export const givenPerStored = 5;

/** The last one is no name for a new HPA. */
const names = ["web", "web", "web", "Web_1"];

/**
 * In equal parts: changes of everything that a document has, changes of what an update may leave unchecked, and
 * documents in autoscaling/v1.
 */
export function updatePairs(seed: number, count: number): readonly UpdatePairs[] {
  const parts: readonly Drawn[] = [
    { stored: { spec, metadata } },
    { stored: { spec: focussed, metadata: {} } },
    { stored: { spec: focussed, metadata: {} }, next: inV1 },
  ];
  return parts.flatMap((part, index) => fc.sample(pairs(part), { seed: seed + index, numRuns: Math.ceil(count / 3) }));
}
