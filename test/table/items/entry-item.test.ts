import { fromItem, toItem } from "../../../lib/table/items/attributes";
import { entryItem, type EntryRef, keyOfEntry, readEntry } from "../../../lib/table/items/entry-item";

const hpa: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "orders" };
const source: EntryRef = { kind: "MetricSource", cluster: "prod", name: "jobs" };
const cluster: EntryRef = { kind: "Cluster", cluster: "prod", name: "prod" };

test.each<[EntryRef, string]>([
  [hpa, "HPA#shop/orders"],
  [{ kind: "HorizontalPodAutoscaler", cluster: "prod", name: "malformed" }, "HPA#malformed"],
  [source, "SOURCE#jobs"],
  [cluster, "CLUSTER"],
])("%j has its key, and is read from it", (ref, sk) => {
  expect(keyOfEntry(ref)).toEqual({ pk: "CLUSTER#prod", sk });
  expect(readEntry(toItem({ pk: "CLUSTER#prod", sk })).ref).toEqual(ref);
});

test.each<[string, object]>([
  ["HPA#a/b/c", { namespace: "a", name: "b/c" }],
  ["HPA#/b", { namespace: "", name: "b" }],
  ["HPA#a/b\nc/d", { namespace: "a", name: "b\nc/d" }],
  ["HPA#a\nb/c", { namespace: "a\nb", name: "c" }],
  ["HPA#", { name: "" }],
])("a malformed key %j is read as far as it goes", (sk, ref) => {
  expect(readEntry(toItem({ pk: "CLUSTER#prod", sk })).ref).toEqual({ kind: hpa.kind, cluster: "prod", ...ref });
});

test("an item without keys is the HPA of no name", () => {
  expect(readEntry({}).ref).toEqual({ kind: "HorizontalPodAutoscaler", cluster: "", name: "" });
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
    item: stored,
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
