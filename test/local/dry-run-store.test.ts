import { inDryRun, type DryRunScaling } from "../../local/dry-run-store";
import { readOperations } from "../../lib/model/entry/annotations";
import type { ObjectMeta } from "../../lib/k8s/objects";
import { document, queueSpec, slotAt } from "../sync/sync-fixture";
import { memoryStore } from "../fakes/memory-store";

const { signal } = new AbortController();
const range = { cluster: "prod", from: "", to: null };

function opened(documents: Readonly<Record<string, unknown>>) {
  const store = memoryStore();
  for (const [key, value] of Object.entries(documents)) store.documents.set(`prod ${key}`, value);
  const wishes: DryRunScaling[] = [];
  return { store, wishes, dry: inDryRun(store, (wish) => wishes.push(wish)) };
}

test("every HPA is in a dry run, whatever its own annotations say, and the table keeps them", async () => {
  const plain = document(queueSpec, "shop/orders") as { readonly metadata: ObjectMeta };
  const off = { ...plain, metadata: { ...plain.metadata, annotations: { "ebb.dev/dry-run": "false", other: "1" } } };
  const { store, dry } = opened({ "shop/orders": plain, "shop/off": off });
  const { hpas } = await dry.load(range, signal);
  for (const { key, document } of hpas) {
    const { metadata } = document as { readonly metadata: ObjectMeta };
    expect(readOperations(metadata)).toMatchObject({ dryRun: true });
    // What a sync decided from is what it finds when it looks again.
    expect(await dry.document("prod", key, signal)).toEqual(document);
  }
  expect(hpas).toHaveLength(2);
  expect(await store.document("prod", "shop/off", signal)).toMatchObject(off);
});

test.each([[7], [{ metadata: "x" }], [{ metadata: { annotations: [] } }]])(
  "what is no HPA stays what it is: %j",
  async (odd) => {
    const { store, dry } = opened({ "shop/odd": odd });
    const found = await dry.document("prod", "shop/odd", signal);
    expect(found).toEqual(await store.document("prod", "shop/odd", signal));
  },
);

test("a wish is a decision that would have scaled, and nothing else", async () => {
  const { store, wishes, dry } = opened({});
  const record = {
    at: slotAt(1),
    from: 1,
    scaleTo: null,
    desiredReplicas: 0,
    events: [],
    steps: [],
    dryRun: true,
  } as const;
  await dry.putDecision("prod", "shop/orders", record, signal);
  const event = { type: "Normal", reason: "DryRunRescale", message: "New size: 4; reason: x" } as const;
  const wish = { ...record, at: slotAt(2), desiredReplicas: 4, events: [event] };
  await dry.putDecision("prod", "shop/orders", wish, signal);
  expect(wishes).toEqual([{ cluster: "prod", key: "shop/orders", record: wish, message: event.message }]);
  expect(store.decisions).toHaveLength(2);
});
