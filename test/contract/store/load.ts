import type { HpaKey } from "../../../lib/model/hpa-key";
import { eventually } from "../eventually";
import type { SharedBench } from "./bench";
import { clusterSpec, hpaSpec, state, typeMeta, worker } from "./samples";

/** Finding clusters, and reading what users and syncs wrote. */
export function loadContract(shared: SharedBench): void {
  const { signal, load } = shared;
  const keysIn = async (range: { from?: string; to?: string | null }) => (await load(range)).hpas.map(({ key }) => key);
  const putHpa = (key: string, entry: Readonly<Record<string, unknown>> = { spec: hpaSpec }) =>
    shared.bench.putHpa(shared.cluster, key, entry);
  const badAuth = { endpoint: "https://api.example.com", auth: { type: "foo" } };

  describe("clusters", () => {
    const mine = async () =>
      (await shared.store.clusters(signal)).filter(({ key }) => key.startsWith(`${shared.cluster}-`));
    const usable = (name: string) => ({ key: name, value: { name, spec: clusterSpec } });

    test("are found without knowing their names, each with its spec", async () => {
      const { bench, cluster } = shared;
      await bench.putCluster(`${cluster}-b`, clusterSpec);
      await bench.putCluster(`${cluster}-a`, clusterSpec);
      await putHpa("shop/worker");
      await eventually(async () => {
        expect(await mine()).toEqual([usable(`${cluster}-a`), usable(`${cluster}-b`)]);
      });
    });

    test("that are malformed say which field, and harm no other", async () => {
      const { bench, cluster } = shared;
      await bench.putCluster(`${cluster}-a`, badAuth);
      await bench.putCluster(`${cluster}-b`, "not a map");
      await bench.putCluster(`${cluster}-c`, clusterSpec);
      await eventually(async () => {
        expect(await mine()).toEqual([
          { key: `${cluster}-a`, invalid: expect.stringContaining("spec.auth.type: expected one of eks,") as string },
          { key: `${cluster}-b`, invalid: 'spec: expected a map, got "not a map"' },
          usable(`${cluster}-c`),
        ]);
      });
    });

    test("more than one batch of them all come", async () => {
      const names = Array.from({ length: 120 }, (_, index) => `${shared.cluster}-${index}`);
      await Promise.all(names.map((name) => shared.bench.putCluster(name, clusterSpec)));
      await eventually(async () => {
        expect((await mine()).map(({ key }) => key)).toEqual([...names].sort());
      });
    });

    test("that are gone are not returned", async () => {
      const { bench, cluster } = shared;
      for (const name of [`${cluster}-a`, `${cluster}-b`]) await bench.putCluster(name, clusterSpec);
      await bench.deleteCluster(`${cluster}-a`);
      await eventually(async () => {
        expect(await mine()).toEqual([usable(`${cluster}-b`)]);
      });
    });
  });

  describe("load", () => {
    test("gives the cluster, its sources, HPA documents and states", async () => {
      const { bench, cluster, store } = shared;
      const source = { kind: "sqs", parameters: { queue: "orders", includeDelayed: true } };
      await bench.putCluster(cluster, clusterSpec);
      await bench.putSource(cluster, "orders", source);
      await putHpa("shop/worker");
      await store.putState(cluster, "shop/worker", state(1), signal);
      expect(await load()).toEqual({
        cluster: { key: cluster, value: { name: cluster, spec: clusterSpec } },
        sources: [{ key: "orders", value: { name: "orders", spec: source } }],
        hpas: [{ key: "shop/worker", document: worker }],
        states: { "shop/worker": state(1) },
        brokenStates: {},
        memory: expect.any(Number) as number,
      });
    });

    test("reads only the cluster and its sources beside what is known", async () => {
      const { bench, cluster, store } = shared;
      await bench.putCluster(cluster, clusterSpec);
      await putHpa("shop/worker");
      await store.putState(cluster, "shop/worker", state(1), signal);
      const { hpas, states, memory } = await load();
      await putHpa("shop/other");
      await bench.putSource(cluster, "orders", { kind: "sqs" });
      const later = await store.load({ cluster, from: "", to: null }, signal, { hpas, states, memory });
      expect(later.sources).toMatchObject([{ key: "orders" }]);
      expect(later).toMatchObject({ hpas: [{ key: "shop/worker" }], states: { "shop/worker": state(1) }, memory });
      expect((await load()).hpas).toHaveLength(2);
    });

    test("gives nothing of another cluster, not of one whose name begins alike", async () => {
      const { bench, cluster, store } = shared;
      for (const other of [`${cluster}-x`, `${cluster}2`]) {
        await bench.putCluster(other, clusterSpec);
        await bench.putSource(other, "orders", { kind: "sqs" });
        await bench.putHpa(other, "shop/worker", { spec: hpaSpec });
        await store.putState(other, "shop/worker", state(1), signal);
        await store.putState(other, "shop/broken", state(1), signal);
        await bench.breakState(other, "shop/broken", 7);
      }
      const { cluster: entry, ...rest } = await load();
      expect(entry).toHaveProperty("invalid");
      expect(rest).toEqual({ sources: [], hpas: [], states: {}, brokenStates: {}, memory: 0 });
    });

    test("of an unknown cluster is an invalid entry that says what is missing where", async () => {
      const { bench, cluster } = shared;
      const { cluster: entry, hpas, states } = await load();
      const where = `pk "CLUSTER#${cluster}" and sk "CLUSTER" in table "${bench.table}"`;
      expect(entry).toEqual({ key: cluster, invalid: expect.stringContaining(where) as string, missing: true });
      expect({ hpas, states }).toEqual({ hpas: [], states: {} });
    });

    test("of a cluster whose entry is malformed says which field, and gives the rest", async () => {
      await shared.bench.putCluster(shared.cluster, badAuth);
      await putHpa("shop/worker");
      const { cluster: entry, hpas } = await load();
      expect(entry).toEqual({
        key: shared.cluster,
        invalid: expect.stringContaining("spec.auth.type: expected one of eks,") as string,
      });
      expect(hpas).toHaveLength(1);
    });

    test("keeps to the range: from included, to excluded, in key order", async () => {
      for (const key of ["a/x", "b/x", "b-c/x", "b/y", "c/x"]) await putHpa(key);
      // "-" sorts before "/": a namespace's keys are still next to each other.
      expect(await keysIn({})).toEqual(["a/x", "b-c/x", "b/x", "b/y", "c/x"]);
      expect(await keysIn({ from: "b/x" })).toEqual(["b/x", "b/y", "c/x"]);
      expect(await keysIn({ to: "b/x" })).toEqual(["a/x", "b-c/x"]);
      expect(await keysIn({ from: "b/x", to: "c/x" })).toEqual(["b/x", "b/y"]);
      expect(await keysIn({ from: "b/xx", to: "b/xy" })).toEqual([]);
      expect(await keysIn({ from: "b/x", to: "b/x" })).toEqual([]);
      expect(await keysIn({ from: "c/x", to: "a/x" })).toEqual([]);
    });

    test("sorts keys by their UTF-8 bytes, not their UTF-16 units", async () => {
      // The first is one UTF-16 unit above the surrogates of the second.
      const keys = ["a/\uff5e", "a/\u{1f600}", "a/~", "A/x"];
      for (const key of keys) await putHpa(key);
      expect(await keysIn({})).toEqual(["A/x", "a/~", "a/\uff5e", "a/\u{1f600}"]);
    });

    test("sorts the sources by name", async () => {
      for (const name of ["b", "c", "a"]) await shared.bench.putSource(shared.cluster, name, { kind: "sqs" });
      expect((await load({ from: "x", to: "y" })).sources.map(({ key }) => key)).toEqual(["a", "b", "c"]);
    });

    test("gives the states of HPAs that are gone, in range", async () => {
      const { cluster, store } = shared;
      for (const key of ["a/gone", "b/gone", "c/gone"] as const) await store.putState(cluster, key, state(1), signal);
      const { hpas, states } = await load({ from: "b/", to: "c/gone" });
      expect({ hpas, states: Object.keys(states) }).toEqual({ hpas: [], states: ["b/gone"] });
    });

    test("gives the states that cannot be read in range, and no other", async () => {
      const { bench, cluster, store } = shared;
      for (const key of ["a/x", "b/x", "b/y", "c/x"] as const) await store.putState(cluster, key, state(1), signal);
      for (const key of ["a/x", "b/x", "c/x"]) await bench.breakState(cluster, key, 2);
      const { states, brokenStates } = await load({ from: "b/", to: "c/" });
      expect(Object.keys(states)).toEqual(["b/y"]);
      expect(brokenStates).toEqual({ "b/x": expect.stringMatching(/^open: /) as string });
    });

    test("reads on past a page of 1 MB", async () => {
      const padding = "x".repeat(20_000);
      const keys = Array.from({ length: 60 }, (_, index): HpaKey => `shop/worker-${String(index).padStart(2, "0")}`);
      for (const key of keys) {
        await putHpa(key, { spec: hpaSpec, metadata: { annotations: { padding } } });
        await shared.store.putState(shared.cluster, key, { ...state(1), targetUid: padding }, signal);
      }
      const { hpas, states } = await load();
      expect(hpas.map(({ key }) => key)).toEqual(keys);
      expect(Object.keys(states)).toEqual(keys);
      expect(await shared.store.hpaKeys({ cluster: shared.cluster, from: "", to: null }, signal)).toEqual(keys);
    }, 60_000);

    test("gives the keys alone, of every HPA in range and of no other", async () => {
      const { cluster, store } = shared;
      for (const key of ["a/x", "b/x", "no-slash", "z/x"]) await putHpa(key, { spec: "half" });
      await store.putState(cluster, "b/gone", state(1), signal);
      expect(await store.hpaKeys({ cluster, from: "a/y", to: "z/x" }, signal)).toEqual(["b/x", "no-slash"]);
      expect(await store.hpaKeys({ cluster, from: "z/y", to: null }, signal)).toEqual([]);
    });

    test("a half-written HPA harms only itself, and its key says what it leaves out", async () => {
      await putHpa("shop/a", {});
      await putHpa("shop/b", { spec: "half", metadata: "written" });
      await putHpa("shop/c", { apiVersion: "autoscaling/v1", metadata: { name: "other", labels: { app: "c" } } });
      await putHpa("no-slash", { spec: hpaSpec });
      await putHpa("one/too/many", { spec: hpaSpec });
      expect(Object.fromEntries((await load()).hpas.map(({ key, document }) => [key, document]))).toEqual({
        "no-slash": { ...typeMeta, metadata: {}, spec: hpaSpec },
        "one/too/many": { ...typeMeta, metadata: {}, spec: hpaSpec },
        "shop/a": { ...typeMeta, metadata: { namespace: "shop", name: "a" } },
        "shop/b": { ...typeMeta, metadata: "written", spec: "half" },
        "shop/c": {
          ...typeMeta,
          apiVersion: "autoscaling/v1",
          metadata: { namespace: "shop", name: "other", labels: { app: "c" } },
        },
      });
    });

    test("a malformed source harms only itself", async () => {
      await shared.bench.putSource(shared.cluster, "bad", { kind: 1 });
      await shared.bench.putSource(shared.cluster, "good", { kind: "cloudwatch" });
      expect((await load()).sources).toEqual([
        { key: "bad", invalid: "spec.kind: expected text that is not empty, got 1" },
        { key: "good", value: { name: "good", spec: { kind: "cloudwatch" } } },
      ]);
    });

    test("an entry past its expiry is an entry until it is gone", async () => {
      await putHpa("shop/worker", { spec: hpaSpec, expiresAt: 1_000_000_000 });
      expect((await load()).hpas).toEqual([{ key: "shop/worker", document: worker }]);
    });

    test("gives copies: a caller that changes what it was given changes nothing in the table", async () => {
      const { bench, cluster, store } = shared;
      await bench.putCluster(cluster, clusterSpec);
      await bench.putSource(cluster, "orders", { kind: "sqs", parameters: { queue: "orders" } });
      await putHpa("shop/worker");
      await store.putState(cluster, "shop/worker", state(1), signal);
      const before = JSON.stringify(await load());
      scramble(await load());
      scramble(await store.document(cluster, "shop/worker", signal));
      expect(JSON.stringify(await load())).toBe(before);
    });
  });

  test("document gives the HPA as it is now, and undefined once it is gone", async () => {
    const { bench, cluster } = shared;
    const read = () => shared.store.document(cluster, "shop/worker", signal);
    expect(await read()).toBeUndefined();
    await putHpa("shop/worker", { spec: hpaSpec, expiresAt: 1_000_000_000 });
    expect(await read()).toEqual(worker);
    await bench.deleteHpa(cluster, "shop/worker");
    expect(await read()).toBeUndefined();
  });
}

/** Overwrites every leaf. */
function scramble(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "object" && member !== null) scramble(member);
    else Reflect.set(value, name, "scrambled");
  }
}
