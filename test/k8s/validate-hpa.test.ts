import fc from "fast-check";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const external = { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "1" } } };

function document(spec: object = {}, metadata: object = {}): Record<string, unknown> {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop", ...metadata },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  };
}

const qualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function containerResource(name: string): object {
  const target = { type: "Utilization", averageUtilization: 50 };
  return { metrics: [{ type: "ContainerResource", containerResource: { name, container: "app", target } }] };
}

// Rules that the recorded documents do not reach; each answer was given by upstream 1.36.3's own validation.
test.each<[string, object, object, string[]]>([
  ["no name", {}, { name: "" }, ["metadata.name: Required value: name or generateName is required"]],
  ["only a generateName, of which the server makes a name", {}, { name: "", generateName: "web-" }, []],
  ["a generateName with any text before its dash", {}, { generateName: "web_-" }, []],
  [
    "a prefix that is no start of a name",
    {},
    { generateName: "Web-", name: "a_b" },
    [`metadata.generateName: Invalid value: "Web-": ${subdomain}`, `metadata.name: Invalid value: "a_b": ${subdomain}`],
  ],
  ["no namespace is the request's", {}, { namespace: undefined }, []],
  [
    "a namespace too long",
    {},
    { namespace: "x".repeat(64) },
    [`metadata.namespace: Invalid value: "${"x".repeat(64)}": must be no more than 63 characters`],
  ],
  [
    "labels",
    {},
    { labels: { "a b": "ok", b: "c d" } },
    [
      `metadata.labels: Invalid value: "a b": ${qualified}`,
      "metadata.labels: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
        "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', " +
        "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    "annotations: keys only, whatever their case",
    {},
    { annotations: { "Example.COM/Note": "any thing", "/x": "" } },
    ['metadata.annotations: Invalid value: "/x": prefix part must be non-empty'],
  ],
  [
    "annotations too large",
    {},
    { annotations: { note: "é".repeat(131_071) } },
    ["metadata.annotations: Too long: may not be more than 262144 bytes"],
  ],
  [
    "two slashes and a percent sign",
    { scaleTargetRef: { ...scaleTargetRef, name: "a/b%c" } },
    {},
    [
      "spec.scaleTargetRef.name: Invalid value: \"a/b%c\": may not contain '/'",
      "spec.scaleTargetRef.name: Invalid value: \"a/b%c\": may not contain '%'",
    ],
  ],
  [
    "a ReplicationController needs no group",
    { scaleTargetRef: { kind: "ReplicationController", name: "old" } },
    {},
    [],
  ],
  [
    "a lone slash is no group",
    { scaleTargetRef: { ...scaleTargetRef, apiVersion: "/" } },
    {},
    ['spec.scaleTargetRef.apiVersion: Invalid value: "/": apiVersion must specify API group'],
  ],
  [
    "a value of a named type is printed as JSON",
    { metrics: [{ ...external, external: { ...external.external, target: { type: "a<b", value: "1" } } }] },
    {},
    [
      'spec.metrics[0].external.target.type: Invalid value: "a\\u003cb": must be either Utilization, Value, or AverageValue',
    ],
  ],
  ["a vendor's resource", containerResource("example.com/gpu"), {}, []],
  ["huge pages", containerResource("hugepages-2Mi"), {}, []],
  [
    "a quota's name",
    containerResource("requests.cpu"),
    {},
    [
      'spec.metrics[0].containerResource.name: Invalid value: "requests.cpu": must be a standard resource for containers',
    ],
  ],
  [
    "a vendor's resource under requests.",
    containerResource("requests.example.com/gpu"),
    {},
    [
      'spec.metrics[0].containerResource.name: Invalid value: "requests.example.com/gpu": doesn\'t follow extended resource name standard',
    ],
  ],
  [
    "two sources beside an unknown type",
    {
      metrics: [
        {
          type: "Bogus",
          external: external.external,
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1 } },
        },
      ],
    },
    {},
    [
      'spec.metrics[0].type: Unsupported value: "Bogus": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      "spec.metrics[0].external: Forbidden: must populate the given metric source only",
      "spec.metrics[0].resource: Forbidden: must populate the given metric source only",
    ],
  ],
  [
    "a window and a tolerance for scaling down",
    { behavior: { scaleDown: { stabilizationWindowSeconds: 3601, tolerance: "-1m" } } },
    {},
    [
      "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
      'spec.behavior.scaleDown.tolerance: Invalid value: "-1m": must be greater than or equal to 0',
    ],
  ],
])("%s", (_, spec, metadata, errors) => {
  expect(validateHpa(document(spec, metadata)).errors).toEqual(errors);
});

test.each<[string, unknown, string[]]>([
  ["not an object", "web", ['document: Invalid value: "web": expected a HorizontalPodAutoscaler object']],
  ["bytes", new Uint8Array([1]), ["document: Invalid value: binary: expected a HorizontalPodAutoscaler object"]],
  [
    "bytes in place of its maps",
    document({ scaleTargetRef: new Uint8Array([1, 2]) }, { labels: new Uint8Array([1, 2]) }),
    [
      "metadata.labels: Invalid value: binary: expected a map of strings",
      "spec.scaleTargetRef: Invalid value: binary: expected an object",
    ],
  ],
  ["a list", [], ["document: Invalid value: a list: expected a HorizontalPodAutoscaler object"]],
  [
    "another kind",
    { ...document(), kind: "Deployment" },
    ['kind: Unsupported value: "Deployment": supported values: "HorizontalPodAutoscaler"'],
  ],
  ["no kind", { ...document(), kind: undefined }, ["kind: Required value: must be HorizontalPodAutoscaler"]],
  [
    "a version that never was",
    { ...document(), apiVersion: "autoscaling/v3" },
    [
      'apiVersion: Unsupported value: "autoscaling/v3": supported values: "autoscaling/v1", "autoscaling/v2", ' +
        '"autoscaling/v2alpha1", "autoscaling/v2beta1", "autoscaling/v2beta2"',
    ],
  ],
  [
    "no spec",
    { ...document(), spec: undefined },
    [
      "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
      "spec.scaleTargetRef.kind: Required value",
      "spec.scaleTargetRef.name: Required value",
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      "spec.maxReplicas: Required value",
    ],
  ],
  [
    "a text for a number",
    document({ maxReplicas: "3" }),
    ['spec.maxReplicas: Invalid value: "3": expected an integer of 32 bits'],
  ],
  [
    "every wrong type at once",
    document({ minReplicas: 1.5, metrics: {}, behavior: [], maxReplicas: 2 ** 31 }),
    [
      "spec.minReplicas: Invalid value: 1.5: expected an integer of 32 bits",
      "spec.maxReplicas: Invalid value: 2147483648: expected an integer of 32 bits",
      "spec.metrics: Invalid value: an object: expected a list",
      "spec.behavior: Invalid value: a list: expected an object",
    ],
  ],
  [
    "a broken quantity",
    document({
      metrics: [{ ...external, external: { metric: { name: "m" }, target: { type: "Value", value: "1x" } } }],
    }),
    [
      'spec.metrics[0].external.target.value: Invalid value: "1x": quantities must match the regular expression ' +
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ],
  [
    "no quantity at all",
    document({ behavior: { scaleUp: { tolerance: true } } }),
    ['spec.behavior.scaleUp.tolerance: Invalid value: true: expected a quantity, like "100m", "1Gi" or 5'],
  ],
  ["a mistyped field", document({ minReplica: 0 }), ['strict decoding error: unknown field "spec.minReplica"']],
  [
    "a mistyped field of metadata",
    document({}, { lables: {} }),
    ['strict decoding error: unknown field "metadata.lables"'],
  ],
  ["a mistyped field at the top", { ...document(), Spec: {} }, ['strict decoding error: unknown field "Spec"']],
  [
    "a label that is no text",
    document({}, { labels: { a: 1 } }),
    ["metadata.labels[a]: Invalid value: 1: expected a string"],
  ],
  [
    "a broken status",
    { ...document(), status: { conditions: "none" } },
    ['status.conditions: Invalid value: "none": expected a list'],
  ],
])("%s", (_, given, errors) => {
  expect(validateHpa(given)).toEqual({ errors });
});

test("an entry of the table may leave apiVersion and kind out and have keys of its own", () => {
  const { metadata, spec } = document({ metrics: [external], minReplicas: 0 });
  const entry = { pk: "CLUSTER#a", sk: "HPA#shop/web", metadata, spec };
  const { errors, hpa } = validateHpa(entry, { assumeKind: true });
  expect(errors).toEqual([]);
  expect(hpa).toEqual({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: { scaleTargetRef, minReplicas: 0, maxReplicas: 3, metrics: [external] },
  });
  expect(validateHpa({ ...entry, kind: "Scale" }, { assumeKind: true }).errors).toHaveLength(1);
  expect(validateHpa(entry).errors).toEqual(["kind: Required value: must be HorizontalPodAutoscaler"]);
});

test("a served document comes back unchanged, except for fields that ebb does not use", () => {
  const served = {
    ...document({
      minReplicas: 1,
      metrics: [external],
      behavior: {
        scaleUp: {
          selectPolicy: "Max",
          policies: [{ type: "Pods", value: 1, periodSeconds: 1 }],
          stabilizationWindowSeconds: 0,
        },
        scaleDown: { selectPolicy: "Min", policies: [{ type: "Pods", value: 1, periodSeconds: 1 }], tolerance: "50m" },
      },
    }),
    status: {
      currentMetrics: [
        { type: "External", external: { metric: { name: "m" }, current: { value: "500e-3" } } },
        { type: "" },
      ],
      currentReplicas: 2,
      desiredReplicas: 3,
      lastScaleTime: "2026-01-01T00:00:00Z",
      conditions: [
        { type: "AbleToScale", status: "True", reason: "R", message: "m", lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    },
  };
  const meta = {
    managedFields: [{ manager: "kubectl" }],
    creationTimestamp: null,
    finalizers: [],
    ownerReferences: [{ kind: "Release" }],
    deletionGracePeriodSeconds: 0,
    selfLink: "",
  };
  const { hpa } = validateHpa({ ...served, metadata: { name: "web", namespace: "shop", ...meta } });
  expect(hpa).toEqual(served);
});

// kube-apiserver 1.36.3 refuses the same documents.
test.each<[string, object, string]>([
  ["a field", { foo: 1 }, "status.foo"],
  ["a condition's field", { conditions: [{ type: "A", status: "True", foo: 1 }] }, "status.conditions[0].foo"],
  [
    "a metric's field",
    { currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { x: 1 } } }] },
    "status.currentMetrics[0].resource.current.x",
  ],
])("an unknown field in a given status is an error, and in a stored or served one ignored: %s", (_, status, path) => {
  const given = { ...document(), status };
  expect(validateHpa(given).errors).toEqual([`strict decoding error: unknown field "${path}"`]);
  expect(validateHpa(given, { assumeKind: true }).errors).toEqual([]);
  expect(validateHpa(given, { served: true }).errors).toEqual([]);
});

test.each<[string, object, string]>([
  ["creationTimestamp", { metadata: { name: "web", creationTimestamp: "yesterday" } }, "metadata.creationTimestamp"],
  ["an empty time", { metadata: { name: "web", deletionTimestamp: "" } }, "metadata.deletionTimestamp"],
  ["lastScaleTime", { status: { lastScaleTime: 5 } }, "status.lastScaleTime"],
  [
    "a condition's time",
    { status: { conditions: [{ type: "A", status: "True", lastTransitionTime: "2026-02-30T12:00:00Z" }] } },
    "status.conditions[0].lastTransitionTime",
  ],
])("%s must be a time", (_, parts, path) => {
  const { errors } = validateHpa({ ...document(), ...parts });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(/: expected a time such as 2026-03-01T12:00:00Z$/);
  expect(errors[0]?.startsWith(`${path}: Invalid value: `)).toBe(true);
});

test("times come out in whole seconds of UTC, and Go's zero time is absent", () => {
  const { hpa } = validateHpa({
    ...document({}, { creationTimestamp: "2026-03-01T14:00:00.9+02:00", deletionTimestamp: "0001-01-01T00:00:00Z" }),
    status: { lastScaleTime: "2026-03-01T2:00:00Z" },
  });
  expect(hpa?.metadata).toEqual({ name: "web", namespace: "shop", creationTimestamp: "2026-03-01T12:00:00Z" });
  expect(hpa?.status).toEqual({ lastScaleTime: "2026-03-01T02:00:00Z" });
});

test("quantities come out in canonical form, numbers too", () => {
  const metrics = [
    { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: 0.5 } } },
  ];
  const { hpa } = validateHpa(document({ metrics, behavior: { scaleUp: { tolerance: "0.05" } } }));
  expect([hpa?.spec.metrics?.[0]?.pods?.target.averageValue, hpa?.spec.behavior?.scaleUp?.tolerance]).toEqual([
    "500m",
    "50m",
  ]);
});

test("names of Object.prototype in a document stay plain keys", () => {
  const text = JSON.stringify(document({ metrics: [external] })).replace(
    '"namespace":"shop"',
    '"namespace":"shop","annotations":{"constructor":"c"},"labels":{"__proto__":"p"}',
  );
  const { errors, hpa } = validateHpa(JSON.parse(text));
  expect(errors).toEqual(['metadata.labels: Invalid value: "__proto__": ' + qualified]);
  expect(hpa).toBeUndefined();
  expect(validateHpa(JSON.parse(text.replace("__proto__", "x"))).hpa?.metadata.annotations).toEqual({
    constructor: "c",
  });
  expect(validateHpa(JSON.parse('{"__proto__":{"kind":"HorizontalPodAutoscaler"}}')).errors).toHaveLength(1);
  expect(({} as Record<string, unknown>)["kind"]).toBeUndefined();
});

test("any JSON is an autoscaler or a list of errors, and leaves Object.prototype alone", () => {
  const name = fc.constantFrom(
    "__proto__",
    "constructor",
    "metrics",
    "type",
    "external",
    "metric",
    "name",
    "target",
    "value",
    "behavior",
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 6 }, fc.jsonValue(), fc.array(tie("tree"), { maxLength: 3 }), tie("object")),
    object: fc.array(fc.tuple(name, tie("tree")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  }));
  fc.assert(
    fc.property(tree, tree, tree, (spec, metadata, status) => {
      const { errors, hpa } = validateHpa({ ...document(), spec, metadata, status });
      expect(errors.length > 0).toBe(hpa === undefined);
      expect(Object.keys(Object.prototype)).toEqual([]);
      validateHpa(spec, { assumeKind: true });
    }),
    { numRuns: 1000 },
  );
});
