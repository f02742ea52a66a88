import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import { toItem } from "../../lib/table/items/attributes";
import type { EntryDocument, StoredEntry } from "../../lib/model/ports/entries";
import { readEntry } from "../../lib/table/items/entry-item";
import { editedEntry, isSameDesired, nextEntry } from "../../lib/table/next-entry";

const birth = { at: Date.parse("2026-03-01T12:00:00Z"), uid: "uid-1" };
const spec = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" }, maxReplicas: 5 };
const identity = { name: "orders", namespace: "shop" };
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** With its defaults, as apply gives a valid HPA. */
function given(more: object = {}, over: object = {}): EntryDocument {
  const document = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: identity, spec, ...over };
  const { hpa } = validateHpa(document, { assumeKind: true });
  return { ...document, spec: hpa?.spec, metadata: { ...identity, ...more } };
}

/** An HPA's entry that is in the table with this metadata. */
const hpaWith = (metadata: object = {}, over: object = {}): StoredEntry =>
  readEntry(toItem({ pk: "CLUSTER#prod", sk: "HPA#shop/orders", metadata, spec, ...over }));

const sourceWith = (source: object): StoredEntry =>
  readEntry(toItem({ pk: "CLUSTER#prod", sk: "SOURCE#jobs", spec: source }));

const metadataOf = ({ document }: { readonly document: EntryDocument }) => document["metadata"];

describe("a new entry", () => {
  test("gets its moment, its generation and its uid, whatever the document says of them", () => {
    const document = given({ uid: "other", generation: 7, labels: { team: "a" }, annotations: { note: "x" } });
    expect(nextEntry(undefined, document, birth)).toEqual({
      change: "created",
      document: given({
        creationTimestamp: "2026-03-01T12:00:00Z",
        generation: 1,
        uid: "uid-1",
        labels: { team: "a" },
        annotations: { note: "x" },
      }),
    });
  });

  test("has neither labels nor annotations if the document has none", () => {
    expect(Object.keys(metadataOf(nextEntry(undefined, given({ labels: {} }), birth)) as object)).toEqual([
      "creationTimestamp",
      "generation",
      "uid",
      "name",
      "namespace",
    ]);
  });

  test("without a namespace has none", () => {
    const cluster = { kind: "Cluster", metadata: { name: "prod" }, spec: {} };
    expect(metadataOf(nextEntry(undefined, cluster, birth))).toEqual({
      creationTimestamp: "2026-03-01T12:00:00Z",
      generation: 1,
      uid: "uid-1",
      name: "prod",
    });
  });
});

describe("a document that changes nothing", () => {
  test.each<[string, StoredEntry, EntryDocument]>([
    ["the same", hpaWith(), given()],
    ["the defaults spelled out", hpaWith(), given({}, { spec: { ...spec, minReplicas: 1 } })],
    ["without the operations that are set", hpaWith({ annotations: { "ebb.dev/paused": "true" } }), given()],
    ["with what kubectl applied last", hpaWith(), given({ annotations: { [lastApplied]: "{}" } })],
    ["onto what kubectl applied last", hpaWith({ annotations: { [lastApplied]: "{}" } }), given()],
    ["with another status", hpaWith({}, { status: { currentReplicas: 3 } }), given({}, { status: {} })],
    ["labels that are no map", hpaWith(), given({ labels: "a" })],
    ["annotations that are no map", hpaWith(), given({ annotations: "paused" })],
  ])("%s: the entry stays as it is", (_name, stored, document) => {
    expect(nextEntry(stored, document, birth)).toEqual({ change: "unchanged", document: stored.document });
  });
});

describe("a document that changes the entry", () => {
  const kept = { uid: "uid-0", creationTimestamp: "2026-01-01T00:00:00Z", generation: 4 };

  test("replaces spec, labels and annotations, and keeps what the table decides", () => {
    const stored = hpaWith(
      { ...kept, labels: { old: "1" }, annotations: { old: "1", "ebb.dev/dry-run": "true" } },
      { status: { currentReplicas: 3 }, extra: "stays" },
    );
    const document = given(
      { uid: "other", labels: { team: "a" }, annotations: { note: "x" } },
      { spec: { ...spec, maxReplicas: 9 }, status: { currentReplicas: 0 } },
    );
    expect(nextEntry(stored, document, birth)).toEqual({
      change: "configured",
      document: {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: {
          ...identity,
          ...kept,
          generation: 5,
          labels: { team: "a" },
          annotations: { note: "x", "ebb.dev/dry-run": "true" },
        },
        spec: document["spec"],
        status: { currentReplicas: 3 },
        extra: "stays",
      },
    });
  });

  test.each<[string, object, object]>([
    ["another label: the generation stays", { labels: { team: "b" } }, { ...kept, labels: { team: "b" } }],
    ["no label: the labels go", {}, kept],
    [
      "another annotation: the generation stays",
      { labels: { team: "a" }, annotations: { note: "y" } },
      { ...kept, labels: { team: "a" }, annotations: { note: "y" } },
    ],
    [
      "an operation that the document names",
      { labels: { team: "a" }, annotations: { "ebb.dev/paused": "true" } },
      { ...kept, labels: { team: "a" }, annotations: { "ebb.dev/paused": "true" } },
    ],
  ])("%s", (_name, more, metadata) => {
    const stored = hpaWith({ ...kept, labels: { team: "a" } });
    const next = nextEntry(stored, given(more), birth);
    expect(next.change).toBe("configured");
    expect(metadataOf(next)).toEqual({ ...identity, ...metadata });
  });

  test.each<[string, unknown, number]>([
    ["no generation", undefined, 1],
    ["a generation that is no number", "7", 1],
    ["a fraction", 1.5, 1],
    ["its ninth", 9, 10],
  ])("with %s: the next one", (_name, generation, next) => {
    const stored = hpaWith({ generation });
    expect(metadataOf(nextEntry(stored, given({}, { spec: { ...spec, maxReplicas: 9 } }), birth))).toMatchObject({
      generation: next,
    });
  });

  test("an invalid HPA differs from every valid one, and one that is in the table gives way", () => {
    const stored = hpaWith({}, { spec: { ...spec, maxReplicas: 0 } });
    expect(nextEntry(stored, given(), birth)).toMatchObject({ change: "configured", document: given() });
  });

  test("a source's spec is compared as it is written", () => {
    const stored = sourceWith({ kind: "sqs", parameters: { queue: "a" } });
    const document = (queue: string) => ({ metadata: { name: "jobs" }, spec: { kind: "sqs", parameters: { queue } } });
    expect(nextEntry(stored, document("a"), birth).change).toBe("unchanged");
    expect(nextEntry(stored, document("b"), birth).change).toBe("configured");
  });

  test("an entry with another name than its key's gets the name of its key, although nothing else differs", () => {
    expect(nextEntry(hpaWith({ name: "other" }), given(), birth).change).toBe("configured");
    expect(nextEntry(hpaWith({ name: "orders" }), given(), birth).change).toBe("unchanged");
  });

  describe("only another spec is another generation", () => {
    const labels = { team: "a" };
    const source = (queue: string) => ({ kind: "sqs", parameters: { queue } });
    const generation = (stored: StoredEntry, document: EntryDocument) =>
      (metadataOf(nextEntry(stored, document, birth)) as { generation?: number }).generation;
    const storedSource = readEntry(
      toItem({ pk: "CLUSTER#prod", sk: "SOURCE#jobs", metadata: { generation: 4 }, spec: source("a") }),
    );

    test.each<[string, number, StoredEntry, EntryDocument]>([
      ["a label of an HPA", 4, hpaWith({ generation: 4 }), given({ labels })],
      [
        "a default that was spelled out",
        4,
        hpaWith({ generation: 4 }, { spec: { ...spec, minReplicas: 1 } }),
        given({ labels }),
      ],
      ["an unknown field of the metadata", 4, hpaWith({ generation: 4, a: "b" }), given({ labels })],
      [
        "an unknown field of the spec",
        4,
        hpaWith({ generation: 4 }, { spec: { ...spec, minimum: 1 } as typeof spec }),
        given({ labels }),
      ],
      ["its maximum", 5, hpaWith({ generation: 4 }, { spec: { ...spec, maxReplicas: 9 } }), given()],
      ["an HPA that was invalid", 5, hpaWith({ generation: 4 }, { spec: { ...spec, maxReplicas: 0 } }), given()],
      ["a label of a source", 4, storedSource, { metadata: { name: "jobs", labels }, spec: source("a") }],
      ["a source's queue", 5, storedSource, { metadata: { name: "jobs" }, spec: source("b") }],
    ])("%s: %i", (_what, expected, stored, document) => {
      expect(generation(stored, document)).toBe(expected);
    });
  });

  test("metadata that is no map is replaced", () => {
    const stored = hpaWith("broken" as unknown as object);
    expect(metadataOf(nextEntry(stored, given(), birth))).toEqual({ ...identity, generation: 1 });
  });
});

test("an editor shows the whole entry: it also takes operations away", () => {
  const stored = hpaWith({ generation: 4, annotations: { "ebb.dev/paused": "true", note: "x" } });
  expect(editedEntry(stored, given({ annotations: { note: "x" } }))).toMatchObject({
    change: "configured",
    document: { metadata: { ...identity, generation: 4, annotations: { note: "x" } } },
  });
  const shown = given({ annotations: { "ebb.dev/paused": "true", note: "x" } });
  expect(editedEntry(stored, shown)).toEqual({ change: "unchanged", document: stored.document });
});

test.each<[string, StoredEntry, boolean]>([
  ["a pause", hpaWith({ annotations: { "ebb.dev/paused": "true" } }), true],
  ["the status", hpaWith({}, { status: { currentReplicas: 3 } }), true],
  ["defaults", hpaWith({}, { spec: { ...spec, minReplicas: 1 } }), true],
  ["a label", hpaWith({ labels: { team: "a" } }), false],
  ["an annotation", hpaWith({ annotations: { note: "x" } }), false],
  ["the spec", hpaWith({}, { spec: { ...spec, maxReplicas: 9 } }), false],
])("whether two reads that differ in %s say the same", (_name, other, expected) => {
  expect(isSameDesired(hpaWith(), other)).toBe(expected);
});
