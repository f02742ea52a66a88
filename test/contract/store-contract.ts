import { type AttributeValue, DeleteItemCommand, type DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { isFault } from "../../lib/model/fault";
import type { EpochMs } from "../../lib/k8s/time";
import type { Shard, State } from "../../lib/model/state";
import type { Store } from "../../lib/model/ports";
import { openStore } from "../../lib/table/store";
import { sharedServer, type StoreUnderTest } from "./shared-server";

const now: EpochMs = Date.parse("2026-03-01T12:00:00Z");
const slot: EpochMs = Date.parse("2026-03-01T11:59:45Z");

/** What the sync relies on from its table, whichever server is behind it. */
export function storeContract(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`a store on ${name}`, () => {
    const server = sharedServer(setUp);
    const { signal, rawItem } = server;
    let store: Store;
    let cluster: string;

    beforeEach(() => {
      cluster = server.newCluster();
      store = openStore({ client: server.client, table: server.table, now: () => now });
    });

    const putItem = async (item: Record<string, AttributeValue>): Promise<void> => {
      await server.client.send(new PutItemCommand({ TableName: server.table, Item: item }));
    };

    const putCluster = (spec: AttributeValue, named = cluster): Promise<void> =>
      putItem({ pk: { S: `CLUSTER#${named}` }, sk: { S: "CLUSTER" }, spec });

    const putHpa = (key: string, more: Record<string, AttributeValue> = { spec: hpaSpec }): Promise<void> =>
      putItem({ pk: { S: `CLUSTER#${cluster}` }, sk: { S: `HPA#${key}` }, ...more });

    const everything = () => ({ cluster, from: "", to: null });
    const load = (range = {}) => store.load({ ...everything(), ...range }, signal);
    const keysIn = async (range: { from?: string; to?: string | null }): Promise<string[]> =>
      (await load(range)).hpas.map(({ key }) => key);

    describe("clusters", () => {
      const mine = async () => (await store.clusters(signal)).filter(({ key }) => key.startsWith(cluster));

      test("are found without knowing their names, each with its spec", async () => {
        await putCluster(clusterSpec, `${cluster}-b`);
        await putCluster(clusterSpec, `${cluster}-a`);
        await putHpa("shop/worker");
        await eventually(async () => {
          expect(await mine()).toEqual([
            { key: `${cluster}-a`, value: { name: `${cluster}-a`, spec: decodedClusterSpec } },
            { key: `${cluster}-b`, value: { name: `${cluster}-b`, spec: decodedClusterSpec } },
          ]);
        });
      });

      test("that are malformed say which field, and harm no other", async () => {
        await putCluster({ M: { auth: { M: { type: { S: "foo" } } } } }, `${cluster}-a`);
        await putCluster({ S: "not a map" }, `${cluster}-b`);
        await putCluster(clusterSpec, `${cluster}-c`);
        await putCluster(clusterSpec, `${cluster}#d`);
        await eventually(async () => {
          expect(await mine()).toEqual([
            { key: `${cluster}#d`, invalid: expect.stringMatching(/^pk: .*a name without "#"/) as string },
            { key: `${cluster}-a`, invalid: expect.stringContaining("spec.auth.type: expected one of eks,") as string },
            { key: `${cluster}-b`, invalid: 'spec: expected a map, got "not a map"' },
            { key: `${cluster}-c`, value: { name: `${cluster}-c`, spec: decodedClusterSpec } },
          ]);
        });
      });

      test("more than one batch of them all come", async () => {
        const names = Array.from({ length: 120 }, (_, index) => `${cluster}-${index}`);
        await Promise.all(names.map((named) => putCluster(clusterSpec, named)));
        await eventually(async () => {
          expect((await mine()).map(({ key }) => key)).toEqual([...names].sort());
        });
      });

      test("that are gone are not returned", async () => {
        await putCluster(clusterSpec);
        const Key = { pk: { S: `CLUSTER#${cluster}` }, sk: { S: "CLUSTER" } };
        await server.client.send(new DeleteItemCommand({ TableName: server.table, Key }));
        await eventually(async () => {
          expect(await mine()).toEqual([]);
        });
      });
    });

    describe("load", () => {
      test("gives the cluster, its sources, HPA documents and states", async () => {
        await putCluster(clusterSpec);
        await putItem({
          pk: { S: `CLUSTER#${cluster}` },
          sk: { S: "SOURCE#orders" },
          spec: {
            M: { kind: { S: "sqs" }, parameters: { M: { queue: { S: "orders" }, includeDelayed: { BOOL: true } } } },
          },
        });
        await putHpa("shop/worker");
        await store.putState(cluster, "shop/worker", state(1), signal);
        expect(await load()).toEqual({
          cluster: { key: cluster, value: { name: cluster, spec: decodedClusterSpec } },
          sources: [
            {
              key: "orders",
              value: { name: "orders", spec: { kind: "sqs", parameters: { queue: "orders", includeDelayed: true } } },
            },
          ],
          hpas: [{ key: "shop/worker", document: decodedHpa }],
          states: { "shop/worker": state(1) },
          brokenStates: {},
        });
      });

      test("an unknown cluster is an invalid entry that says what is missing where", async () => {
        const { cluster: entry, hpas, states } = await load();
        expect(entry).toEqual({
          key: cluster,
          invalid: expect.stringContaining(
            `pk "CLUSTER#${cluster}" and sk "CLUSTER" in table "${server.table}"`,
          ) as string,
        });
        expect({ hpas, states }).toEqual({ hpas: [], states: {} });
      });

      test("keeps to the range: from included, to excluded, in key order", async () => {
        for (const key of ["a/x", "b/x", "b-c/x", "b/y", "c/x"]) await putHpa(key);
        // "-" sorts before "/": a namespace's keys still stand together.
        expect(await keysIn({})).toEqual(["a/x", "b-c/x", "b/x", "b/y", "c/x"]);
        expect(await keysIn({ from: "b/x" })).toEqual(["b/x", "b/y", "c/x"]);
        expect(await keysIn({ to: "b/x" })).toEqual(["a/x", "b-c/x"]);
        expect(await keysIn({ from: "b/x", to: "c/x" })).toEqual(["b/x", "b/y"]);
        expect(await keysIn({ from: "b/xx", to: "b/xy" })).toEqual([]);
        expect(await keysIn({ from: "c/x", to: "a/x" })).toEqual([]);
      });

      test("gives the states of HPAs that are gone, in range", async () => {
        for (const key of ["a/gone", "b/gone", "c/gone"]) await store.putState(cluster, key, state(1), signal);
        const { hpas, states } = await load({ from: "b/", to: "c/gone" });
        expect({ hpas, states: Object.keys(states) }).toEqual({ hpas: [], states: ["b/gone"] });
      });

      test("reads on past a page of 1 MB", async () => {
        const padding = "x".repeat(20_000);
        const keys = Array.from({ length: 60 }, (_, index) => `shop/worker-${String(index).padStart(2, "0")}`);
        await Promise.all(
          keys.map(async (key) => {
            await putHpa(key, { spec: hpaSpec, metadata: { M: { annotations: { M: { padding: { S: padding } } } } } });
            await store.putState(cluster, key, { ...state(1), targetUid: padding }, signal);
          }),
        );
        const queries = countRequests(server.client, "QueryCommand");
        const { hpas, states } = await queries.during(load);
        expect(hpas.map(({ key }) => key)).toEqual(keys);
        expect(Object.keys(states)).toEqual(keys);
        // Sources in one page; HPAs and states in two each.
        expect(queries.asked()).toBe(5);
      }, 60_000);

      test("a half-written HPA, an odd number and a set harm only what they are in", async () => {
        await putHpa("shop/a", {});
        await putHpa("shop/b", { spec: { M: { maxReplicas: { N: "100000000000000000000000000000000000" } } } });
        await putHpa("shop/c", { spec: { S: "half" }, metadata: { S: "written" } });
        await putHpa("shop/d", { spec: { M: { values: { SS: ["x"] }, maxReplicas: { N: "3" }, text: { S: "3" } } } });
        await putHpa("no-slash", { spec: hpaSpec });
        const { hpas } = await load();
        expect(Object.fromEntries(hpas.map(({ key, document }) => [key, document]))).toEqual({
          "no-slash": { ...decodedHpa, metadata: {} },
          "shop/a": { ...typeMeta, metadata: { namespace: "shop", name: "a" } },
          "shop/b": {
            ...typeMeta,
            metadata: { namespace: "shop", name: "b" },
            spec: { maxReplicas: "100000000000000000000000000000000000" },
          },
          "shop/c": { ...typeMeta, metadata: "written", spec: "half" },
          "shop/d": {
            ...typeMeta,
            metadata: { namespace: "shop", name: "d" },
            spec: { values: ["x"], maxReplicas: 3, text: "3" },
          },
        });
      });

      test("a malformed source harms only itself", async () => {
        const source = (named: string, spec: AttributeValue) =>
          putItem({ pk: { S: `CLUSTER#${cluster}` }, sk: { S: `SOURCE#${named}` }, spec });
        await source("bad", { M: { kind: { N: "1" } } });
        await source("good", { M: { kind: { S: "cloudwatch" } } });
        expect((await load()).sources).toEqual([
          { key: "bad", invalid: "spec.kind: expected text that is not empty, got 1" },
          { key: "good", value: { name: "good", spec: { kind: "cloudwatch" } } },
        ]);
      });

      test("an entry past its expiry is an entry until it is gone", async () => {
        await putHpa("shop/worker", { spec: hpaSpec, expiresAt: { N: "1000000000" } });
        await eventually(async () => {
          expect((await load()).hpas).toEqual([{ key: "shop/worker", document: decodedHpa }]);
        });
      });
    });

    test("document gives the HPA as it stands now, and undefined once it is gone", async () => {
      expect(await store.document(cluster, "shop/worker", signal)).toBeUndefined();
      await putHpa("shop/worker");
      expect(await store.document(cluster, "shop/worker", signal)).toEqual(decodedHpa);
    });

    describe("states", () => {
      const key = "shop/worker";
      const put = (next: State) => store.putState(cluster, key, next, signal);
      const standing = async () => (await load()).states[key];

      test("come back as they were written, with all that they can hold", async () => {
        const full: State = { ...state(1), ...fullState };
        expect(await put(full)).toEqual({ ok: true });
        expect(await standing()).toEqual(full);
        expect(await put({ ...state(2), history: null, open: false })).toEqual({ ok: true });
        expect(await standing()).toEqual({ ...state(2), history: null, open: false });
      });

      test("are written only over the version they were computed from", async () => {
        await put(state(1));
        await put(state(2));
        expect(await put(state(2, 9))).toEqual({ ok: false, current: state(2) });
        expect(await put(state(1, 9))).toEqual({ ok: false, current: state(2) });
        expect(await put(state(4, 9))).toEqual({ ok: false, current: state(2) });
        expect(await standing()).toEqual(state(2));
      });

      test("are not written over what is gone", async () => {
        expect(await put(state(2))).toEqual({ ok: false, current: undefined });
        expect(await standing()).toBeUndefined();
      });

      test("of ten writers at once, one is told that it wrote, and that is what stands", async () => {
        await put(state(1));
        const writers = Array.from({ length: 10 }, (_, index) => state(2, index));
        const written = await Promise.all(writers.map(put));
        const winners = writers.filter((_, index) => written[index]?.ok);
        expect(winners).toHaveLength(1);
        expect(await standing()).toEqual(winners[0]);
      });

      test("that are equal are still one writer's: the second is told of a conflict", async () => {
        expect([await put(state(1)), await put(state(1))]).toEqual([{ ok: true }, { ok: false, current: state(1) }]);
      });

      test("are deleted at their version only; deleting what is gone is done", async () => {
        await put(state(1));
        await put(state(2));
        expect(await store.deleteState(cluster, key, 1, signal)).toBe(false);
        expect(await standing()).toEqual(state(2));
        expect(await store.deleteState(cluster, key, 2, signal)).toBe(true);
        expect(await standing()).toBeUndefined();
        expect(await store.deleteState(cluster, key, 2, signal)).toBe(true);
      });

      test("that cannot be read are named with the reason, and never overwritten or deleted", async () => {
        await put(state(1));
        const broken = { ...(await rawItem(`CLUSTER#${cluster}`, `STATE#${key}`)), open: { S: "half-written" } };
        await putItem({ ...broken, version: { N: "7" } });
        await store.putState(cluster, "shop/other", state(1), signal);

        const { states, brokenStates } = await load();
        expect(Object.keys(states)).toEqual(["shop/other"]);
        expect(brokenStates).toEqual({ [key]: 'open: expected true or false, got "half-written"' });
        for (const next of [state(1), state(2)]) {
          await expect(put(next)).rejects.toMatchObject({
            kind: "badEntry",
            message: expect.stringContaining("open:") as string,
          });
        }
        expect(await store.deleteState(cluster, key, 1, signal)).toBe(false);
        expect(await rawItem(`CLUSTER#${cluster}`, `STATE#${key}`)).toEqual({ ...broken, version: { N: "7" } });
      });

      test("that are larger than an item may be are refused before they are sent", async () => {
        const large = { ...state(1), targetUid: "x".repeat(410_000) };
        await expect(put(large)).rejects.toMatchObject({
          kind: "badEntry",
          message: expect.stringContaining("409600") as string,
        });
        expect(await standing()).toBeUndefined();
      });
    });

    describe("a lost reply", () => {
      const key = "shop/worker";

      test("to a state that was written: the SDK's retry finds its own write", async () => {
        await store.putState(cluster, key, state(1), signal);
        const losses = loseAnswers(server.client, "PutItemCommand", 1);
        const written = await losses.during(() => store.putState(cluster, key, state(2), signal));
        expect({ written, asked: losses.asked() }).toEqual({ written: { ok: true }, asked: 2 });
        expect((await load()).states[key]).toEqual(state(2));
      });

      test("to every attempt at a state: what stands is looked at", async () => {
        const losses = loseAnswers(server.client, "PutItemCommand", 99);
        expect(await losses.during(() => store.putState(cluster, key, state(1), signal))).toEqual({ ok: true });
        expect((await load()).states[key]).toEqual(state(1));
      });

      test("to a state that was not written is a conflict with what stands", async () => {
        await store.putState(cluster, key, state(1), signal);
        const losses = loseAnswers(server.client, "PutItemCommand", 1);
        const written = await losses.during(() => store.putState(cluster, key, state(1, 9), signal));
        expect(written).toEqual({ ok: false, current: state(1) });
      });

      test("to a request that never arrived rejects as lost, and nothing stands", async () => {
        const losses = loseAnswers(server.client, "PutItemCommand", 99, { arrives: false });
        const rejected = await losses.during(() =>
          store.putState(cluster, key, state(1), signal).catch((e: unknown) => e),
        );
        expect(isFault(rejected, "lost")).toBe(true);
        expect((await load()).states).toEqual({});
      });

      test("to a state's deletion", async () => {
        await store.putState(cluster, key, state(1), signal);
        const losses = loseAnswers(server.client, "DeleteItemCommand", 1);
        expect(await losses.during(() => store.deleteState(cluster, key, 1, signal))).toBe(true);
        expect((await load()).states).toEqual({});
      });

      test("to a shard's creation, change and deletion", async () => {
        const first = shard({ version: 1 });
        const second = shard({ version: 2 });
        const putting = loseAnswers(server.client, "PutItemCommand", 1);
        expect(await putting.during(() => store.createShard(first, signal))).toBe(true);
        const replacing = loseAnswers(server.client, "PutItemCommand", 1);
        expect(await replacing.during(() => store.replaceShard(first, second, signal))).toBe(true);
        const deleting = loseAnswers(server.client, "DeleteItemCommand", 1);
        expect(await deleting.during(() => store.replaceShard(second, null, signal))).toBe(true);
        expect(await store.shard(first, signal)).toBeUndefined();
      });
    });

    describe("shards", () => {
      test("are created once, found by key and listed with all others", async () => {
        const first = shard({ to: "m/" });
        const second = shard({ from: "m/", behind: { "shop/worker": slot }, failure: "cluster unreachable" });
        expect(await store.createShard(first, signal)).toBe(true);
        expect(await store.createShard(second, signal)).toBe(true);
        expect(await store.createShard({ ...first, entries: 9 }, signal)).toBe(false);
        expect(await store.shard({ cluster, from: "" }, signal)).toEqual(first);
        expect(await store.shard({ cluster, from: "x" }, signal)).toBeUndefined();
        expect((await store.shards(signal)).filter((found) => found.cluster === cluster)).toEqual([first, second]);
      });

      test("of one cluster come in key order, without those of a cluster whose name begins alike", async () => {
        const own = [shard({ to: "m/" }), shard({ from: "m/" })];
        const others = [`${cluster}#x`, `${cluster}2`, `${cluster}$`].map((name) => ({ ...shard({}), cluster: name }));
        for (const each of [...own, ...others].reverse()) await store.createShard(each, signal);
        expect(await store.shardsOf(cluster, signal)).toEqual(own);
        expect(await store.shardsOf(`${cluster}#x`, signal)).toEqual([others[0]]);
        expect(await store.shardsOf(`${cluster}-none`, signal)).toEqual([]);
      });

      test("are replaced and deleted at their version only", async () => {
        const first = shard({ version: 1 });
        const second = shard({ version: 2, slot: slot + 15_000, heartbeat: slot + 16_000 });
        expect(await store.replaceShard(first, second, signal)).toBe(false);
        await store.createShard(first, signal);
        expect(await store.replaceShard(first, second, signal)).toBe(true);
        expect(await store.replaceShard(first, shard({ version: 2 }), signal)).toBe(false);
        expect(await store.replaceShard(first, null, signal)).toBe(false);
        expect(await store.shard(first, signal)).toEqual(second);
        expect(await store.replaceShard(second, null, signal)).toBe(true);
        expect(await store.replaceShard(second, null, signal)).toBe(false);
        expect(await store.shard(first, signal)).toBeUndefined();
      });

      test("of ten who replace one at once, one is told that it did", async () => {
        const first = shard({ version: 1 });
        await store.createShard(first, signal);
        const replaced = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            store.replaceShard(first, shard({ version: 2, entries: index }), signal),
          ),
        );
        expect(replaced.filter(Boolean)).toHaveLength(1);
        expect((await store.shard(first, signal))?.entries).toBe(replaced.indexOf(true));
      });

      test("that cannot be read are told of, and the others come", async () => {
        await store.createShard(shard({}), signal);
        await putItem({ pk: { S: "SHARD" }, sk: { S: `${cluster}#m/` }, cluster: { S: cluster }, from: { S: "m/" } });
        const told: string[] = [];
        const onBrokenShard = (message: string): number => told.push(message);
        const telling = openStore({ client: server.client, table: server.table, now: () => now, onBrokenShard });
        try {
          const found = (await telling.shards(signal)).filter((each) => each.cluster === cluster);
          expect(found).toEqual([shard({})]);
          expect(told).toEqual([expect.stringContaining(`SHARD ${cluster}#m/: to: expected text, got nothing`)]);
          await expect(store.shards(signal)).rejects.toMatchObject({ kind: "badEntry" });
          await expect(store.shard({ cluster, from: "m/" }, signal)).rejects.toMatchObject({ kind: "badEntry" });
        } finally {
          const Key = { pk: { S: "SHARD" }, sk: { S: `${cluster}#m/` } };
          await server.client.send(new DeleteItemCommand({ TableName: server.table, Key }));
        }
      });
    });

    test("a table that is not there is named with its region and what to do", async () => {
      const lost = openStore({ client: server.client, table: "no-such-table", now: () => now });
      const expected = {
        kind: "notFound",
        message: expect.stringMatching(/^table "no-such-table" not found in region \S+: check/) as string,
      };
      await expect(lost.clusters(signal)).rejects.toMatchObject(expected);
      await expect(lost.load(everything(), signal)).rejects.toMatchObject(expected);
      await expect(lost.putState(cluster, "a/b", state(1), signal)).rejects.toMatchObject(expected);
    });

    test("an aborted signal ends reads and writes as a timeout, and nothing is written", async () => {
      const aborted = AbortSignal.abort();
      await expect(store.load(everything(), aborted)).rejects.toMatchObject({ kind: "timeout" });
      await expect(store.putState(cluster, "a/b", state(1), aborted)).rejects.toMatchObject({ kind: "timeout" });
      expect((await load()).states).toEqual({});
    });

    const shard = (fields: Partial<Shard>): Shard => ({
      cluster,
      from: "",
      to: null,
      version: 1,
      slot,
      heartbeat: slot,
      behind: {},
      entries: 0,
      ...fields,
    });
  });
}

/** The index that clusters are found by follows the table within moments. */
async function eventually(assertion: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

interface Losses {
  during<T>(call: () => Promise<T>): Promise<T>;
  /** How many requests of the command were sent, retries included. */
  asked(): number;
}

/** Counts the requests of a command. */
function countRequests(client: DynamoDBClient, command: string): Losses {
  return loseAnswers(client, command, 0);
}

/** Drops the first `count` answers to a command on their way back, below the SDK's retries. */
function loseAnswers(client: DynamoDBClient, command: string, count: number, { arrives = true } = {}): Losses {
  let asked = 0;
  const name = "loseAnswers";
  return {
    asked: () => asked,
    async during(call) {
      client.middlewareStack.add(
        (next, context) => async (args) => {
          if (context.commandName !== command) return await next(args);
          const dropped = ++asked <= count;
          const answer = arrives || !dropped ? await next(args).catch((error: unknown) => ({ error })) : undefined;
          if (dropped) throw Object.assign(new Error("the answer was lost"), { name: "TimeoutError" });
          if (answer && "error" in answer) throw answer.error;
          return answer as Awaited<ReturnType<typeof next>>;
        },
        { step: "deserialize", name, priority: "low" },
      );
      try {
        return await call();
      } finally {
        client.middlewareStack.remove(name);
      }
    },
  };
}

const clusterSpec: AttributeValue = {
  M: {
    endpoint: { S: "https://api.example.com:6443" },
    auth: { M: { type: { S: "token" }, secret: { S: "prod/token" } } },
    options: { M: { syncPeriodSeconds: { N: "15" }, tolerance: { N: "0.1" } } },
  },
};

const decodedClusterSpec = {
  endpoint: "https://api.example.com:6443",
  auth: { type: "token", secret: "prod/token" },
  options: { syncPeriodSeconds: 15, tolerance: 0.1 },
};

const hpaSpec: AttributeValue = {
  M: {
    scaleTargetRef: { M: { kind: { S: "Deployment" }, name: { S: "worker" } } },
    minReplicas: { N: "0" },
    maxReplicas: { N: "10" },
  },
};

const typeMeta = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };

const decodedHpa = {
  ...typeMeta,
  metadata: { namespace: "shop", name: "worker" },
  spec: { scaleTargetRef: { kind: "Deployment", name: "worker" }, minReplicas: 0, maxReplicas: 10 },
};

const state = (version: number, desiredReplicas = 1): State => ({
  version,
  slot,
  targetUid: "0f2d",
  status: { desiredReplicas, currentReplicas: 1, currentMetrics: null, conditions: [] },
  history: { recommendations: [{ replicas: 1, since: slot, at: slot }], scaleUpEvents: [], scaleDownEvents: [] },
  open: true,
});

const fullState: Partial<State> = {
  status: {
    observedGeneration: 1,
    lastScaleTime: "2026-03-01T11:59:45Z",
    currentReplicas: 0,
    desiredReplicas: 4,
    currentMetrics: [
      {
        type: "External",
        external: {
          metric: { name: "sqs", selector: { matchLabels: { queue: "orders" } } },
          current: { value: "31", averageValue: "500m" },
        },
      },
      { type: "" },
    ],
    conditions: [
      {
        type: "AbleToScale",
        status: "True",
        reason: "SucceededRescale",
        message: "",
        lastTransitionTime: "2026-03-01T11:59:45Z",
      },
    ],
  },
  history: {
    recommendations: [
      { replicas: 0, since: slot - 60_000, at: slot - 15_000 },
      { replicas: 4, since: slot, at: slot },
    ],
    scaleUpEvents: [{ change: 4, at: slot }],
    scaleDownEvents: [{ change: 2, at: slot - 60_000, foundAt: slot - 45_000 }],
  },
  intent: {
    from: 0,
    to: 4,
    at: slot,
    resourceVersion: "123456",
    countsAsEvent: true,
    message: "New size: 4; reason: external metric sqs above target",
    scaledToZero: false,
    steps: [{ stage: "combine", replicas: 4, because: "the highest of 1: depth", detail: { blind: 0 } }],
  },
  selector: "app=worker",
  decision: {
    at: slot,
    from: 0,
    desiredReplicas: 4,
    steps: [{ stage: "decide", replicas: 4, because: "from 0 to 4: depth above target" }],
  },
  recorded: { at: slot - 60_000, desiredReplicas: 2, limitedBy: ["ScaleUpLimit"] },
  warnings: [{ type: "Warning", reason: "FailedGetExternalMetric", message: "no datapoint in 5m" }],
  readings: {
    'sqs {"queue":"orders"}': {
      response: { items: [{ metricName: "sqs", timestamp: "2026-03-01T11:59:44Z", value: "31", metricLabels: null }] },
      readAt: slot - 1,
    },
    "cloudwatch {}": { response: { error: "no datapoint in 5m", from: "cloudwatch" }, readAt: slot },
  },
};
