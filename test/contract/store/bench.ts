import { setMaxListeners } from "node:events";
import type { Store } from "../../../lib/model/ports/store";
import type { EpochMs } from "../../../lib/k8s/time";
import type { DecisionRecord } from "../../../lib/model/stored/state";
import type { Mishaps } from "../../fakes/wire";
import { noLimit } from "../../time/no-limit";

/** An implementation of the Store port, and what its contract has to arrange that the port itself does not offer. */
export interface StoreBench {
  /** A store over the same items each time. */
  open(options: { readonly now: () => EpochMs; readonly onBrokenShard?: (message: string) => void }): Store;
  /** As its messages name it. */
  readonly table: string;

  /** As a user writes it: nothing of the spec is checked. */
  putCluster(name: string, spec: unknown): Promise<void>;
  deleteCluster(name: string): Promise<void>;
  putSource(cluster: string, name: string, spec: unknown): Promise<void>;
  /** The entry's attributes, beside its key. */
  putHpa(cluster: string, key: string, entry: Readonly<Record<string, unknown>>): Promise<void>;
  deleteHpa(cluster: string, key: string): Promise<void>;

  /** Writes over the STATE item: another version, and `open` is the text "half-written". */
  breakState(cluster: string, key: string, version: number): Promise<void>;
  /** Writes an EVENTS item of version 1 without `entries`. */
  breakEvents(cluster: string, key: string): Promise<void>;
  /** Writes a SHARD item that has `cluster` and `from` alone. */
  breakShard(cluster: string, from: string): Promise<void>;
  deleteShard(cluster: string, from: string): Promise<void>;
  /** As the table's expiry does. */
  deleteEvents(cluster: string, key: string): Promise<void>;

  /** The decisions of an HPA, latest first. */
  decisions(cluster: string, key: string): Promise<readonly DecisionRecord[]>;

  readonly mishaps: Mishaps;
  close(): Promise<void>;
}

export const now: EpochMs = Date.parse("2026-03-01T12:00:00Z");

/** One bench for all tests of a contract. Called within `describe`. */
export function sharedBench(setUp: () => Promise<StoreBench>) {
  let bench: StoreBench;
  let clock = { now };
  let store: Store;
  let cluster = "";
  let clusters = 0;
  const signal = noLimit();
  setMaxListeners(0, signal);

  beforeAll(async () => {
    bench = await setUp();
  }, 90_000);

  afterAll(async () => {
    await bench.close();
  });

  beforeEach(() => {
    cluster = `cluster-${process.pid}-${Date.now()}-${++clusters}`;
    clock = { now };
    const own = clock;
    store = bench.open({ now: () => own.now });
  });

  return {
    signal,
    get bench() {
      return bench;
    },
    /** Of this test. */
    get clock() {
      return clock;
    },
    get store() {
      return store;
    },
    /** A name that no test before had, here or in an earlier run. */
    get cluster() {
      return cluster;
    },
    load: (range: { from?: string; to?: string | null } = {}) =>
      store.load({ cluster, from: "", to: null, ...range }, signal),
    state: async (key: string) => (await store.load({ cluster, from: "", to: null }, signal)).states[key],
  };
}

export type SharedBench = ReturnType<typeof sharedBench>;
