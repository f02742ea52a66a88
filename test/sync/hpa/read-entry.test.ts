import { asHpaKey } from "../../../lib/model/hpa-key";
import { readHpaEntry } from "../../../lib/sync/hpa/read-entry";
import { document, queueSpec } from "../sync-fixture";

const read = (given: unknown, key = "shop/orders") => readHpaEntry({ key: asHpaKey(key), document: given });
const annotated = (annotations: object) => ({
  ...(document(queueSpec) as object),
  metadata: { namespace: "shop", name: "orders", annotations },
});

test("a valid entry is its HPA, and what its annotations ask for", () => {
  expect(read(document(queueSpec))).toMatchObject({ hpa: { metadata: { name: "orders" } }, operations: {} });
  expect(read(annotated({ "ebb.dev/paused": "true" }))).toMatchObject({ operations: { paused: true } });
});

test("a period of its own is in the annotation or in the spec, and without one there is none", () => {
  expect(read(annotated({ "ebb.dev/sync-period": "5m" }))).toMatchObject({ syncPeriodSeconds: 300 });
  expect(read(document({ ...queueSpec, syncPeriodSeconds: 30 }))).toMatchObject({ syncPeriodSeconds: 30 });
  expect(read(document(queueSpec))).not.toHaveProperty("syncPeriodSeconds");
});

test.each<[string, unknown, RegExp]>([
  ["an invalid field", document({ ...queueSpec, maxReplicas: 0 }), /^spec\.maxReplicas: Required value/],
  ["no document", "text", /./],
  [
    "another name than its key's",
    document(queueSpec, "shop/other"),
    /^metadata: expected the name "shop\/orders" as in the sort key, got "shop\/other"$/,
  ],
  ["another namespace", document(queueSpec, "team/orders"), /got "team\/orders"$/],
  ["an annotation that cannot be read", annotated({ "ebb.dev/paused": "maybe" }), /ebb\.dev\/paused/],
])("%s is an error, and no HPA", (_name, given, error) => {
  const entry = read(given);
  expect(entry).not.toHaveProperty("hpa");
  expect((entry as { errors: readonly string[] }).errors[0]).toMatch(error);
});

test("a document that breaks the validation is an invalid entry", () => {
  const trap = new Proxy(
    {},
    {
      ownKeys: () => [],
      get: () => {
        throw new Error("a trap");
      },
    },
  );
  expect(read(trap)).toEqual({ errors: ["the document cannot be read: a trap"] });
});
