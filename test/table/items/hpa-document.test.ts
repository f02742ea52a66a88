import { RefusedDocument } from "../../../lib/model/entry/limits";
import { toItem } from "../../../lib/table/items/attributes";
import { decodeListedHpa } from "../../../lib/table/items/hpa-document";

const listed = (metrics: readonly object[]) =>
  decodeListedHpa(toItem({ pk: "CLUSTER#prod", sk: "HPA#shop/a", spec: { maxReplicas: 3, metrics } }));
const metric = (bytes: number) => ({ external: { metric: { name: "x".repeat(bytes) } } });

test("an HPA's document is kept with its size", () => {
  const { key, document, size } = listed([metric(1_000)]);
  expect([key, document]).toMatchObject(["shop/a", { metadata: { name: "a", namespace: "shop" } }]);
  expect(size.bytes).toBeGreaterThan(1_000);
  expect(size.memory).toBeGreaterThan(1_000);
});

test("one above the limit is refused by name, and takes no memory of those beside it", () => {
  const { key, document, size } = listed([metric(200_000)]);
  expect(key).toBe("shop/a");
  expect(document).toBeInstanceOf(RefusedDocument);
  expect((document as RefusedDocument).errors[0]?.text).toMatch(/expected/);
  expect(size.memory).toBe(0);
  expect(size.bytes).toBeGreaterThan(200_000);
});
