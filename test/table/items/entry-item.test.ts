import { fromItem, toItem } from "../../../lib/table/items/attributes";
import type { EntryRef } from "../../../lib/model/ports/entries";
import { entryItem, keyOfEntry, readEntry } from "../../../lib/table/items/entry-item";

const hpa: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "orders" };
const source: EntryRef = { kind: "MetricSource", cluster: "prod", name: "jobs" };
const cluster: EntryRef = { kind: "Cluster", cluster: "prod", name: "prod" };

test.each<[EntryRef, string]>([
  [hpa, "HPA#shop/orders"],
  [{ kind: "HorizontalPodAutoscaler", cluster: "prod", name: "HPA#malformed" }, "HPA#malformed"],
  [source, "SOURCE#jobs"],
  [cluster, "CLUSTER"],
])("%j has its key, and is read from it", (ref, sk) => {
  expect(keyOfEntry(ref)).toEqual({ pk: "CLUSTER#prod", sk });
  expect(readEntry(toItem({ pk: "CLUSTER#prod", sk })).ref).toEqual(ref);
});

test.each(["HPA#a/b/c", "HPA#/b", "HPA#a/", "HPA#a/b\nc/d", "HPA#a/HPA#b", "HPA#noslash", "HPA#"])(
  "the HPA of a malformed key %j is called by it, and found by it in any namespace",
  (sk) => {
    const { ref } = readEntry(toItem({ pk: "CLUSTER#prod", sk }));
    expect(ref).toEqual({ kind: hpa.kind, cluster: "prod", name: sk });
    expect(keyOfEntry({ ...ref, namespace: "shop" }).sk).toBe(sk);
  },
);

test("a line break is no slash", () => {
  expect(readEntry(toItem({ pk: "CLUSTER#prod", sk: "HPA#a\nb/c" })).ref).toMatchObject({
    namespace: "a\nb",
    name: "c",
  });
});

test("an item without keys is the HPA of no name", () => {
  expect(readEntry({}).ref).toEqual({ kind: "HorizontalPodAutoscaler", cluster: "", name: "HPA#" });
});

test.each<[EntryRef, string]>([
  [source, "MetricSource"],
  [cluster, "Cluster"],
])("what the key and the table imply of %j is filled in", (ref, kind) => {
  const key = keyOfEntry(ref);
  const stored = toItem({ ...key, spec: { a: 1 }, writeToken: "x", expiresAt: 9 });
  expect(readEntry(stored)).toEqual({
    ref,
    document: { apiVersion: "ebb.dev/v1", kind, spec: { a: 1 }, metadata: { name: ref.name } },
    version: stored,
  });
  const own = { apiVersion: "v9", kind: "Own", metadata: { name: "own", labels: {} } };
  expect(readEntry(toItem({ ...key, ...own })).document).toEqual(own);
  expect(readEntry(toItem({ ...key, metadata: "broken" })).document).toMatchObject({ metadata: "broken" });
});

test("an entry's item has its key, whatever the document says, and keeps the expiry of the one before", () => {
  const document = { pk: "x", sk: "y", spec: { a: 1 } };
  expect(fromItem(entryItem({ ref: source, document }, undefined))).toEqual({
    pk: "CLUSTER#prod",
    sk: "SOURCE#jobs",
    spec: { a: 1 },
  });
  const before = toItem({ expiresAt: 9, writeToken: "x", spec: { old: true } });
  expect(fromItem(entryItem({ ref: source, document }, before))).toMatchObject({ expiresAt: 9, spec: { a: 1 } });
  expect(entryItem({ ref: source, document }, before)).not.toHaveProperty("writeToken");
});
