import type { HpaEvent } from "../../../lib/model/situation";
import type { EpochMs } from "../../../lib/k8s/time";
import type { Cluster, ObservedTarget, Target } from "../../../lib/model/ports/cluster";
import type { ScalableKind } from "../../cluster/contract-objects";
import type { AnswerMishaps, Mishaps } from "../../fakes/wire";
import { noLimit } from "../../time/no-limit";

/** An implementation of the Cluster port, and what its contract has to arrange that the port itself does not offer. */
export interface ClusterBench {
  readonly cluster: Cluster;
  /** One of the bench's own, with nothing in it. */
  readonly namespace: string;

  /** An object whose status nobody has written yet; its pods are `app: <name>`. */
  create(kind: ScalableKind, name: string, replicas: number): Promise<{ readonly uid: string }>;
  delete(kind: ScalableKind, name: string): Promise<void>;
  /** Somebody else scales it. */
  scale(kind: ScalableKind, name: string, replicas: number): Promise<void>;
  /** Its status changes, and its size does not. */
  touch(kind: ScalableKind, name: string): Promise<void>;
  /** Its size, as anybody else sees it. */
  replicas(kind: ScalableKind, name: string): Promise<number>;
  setWorkerStatus(name: string, status: { readonly replicas: number; readonly selector: string }): Promise<void>;
  /** An object of the kind Plain of contract-objects.ts, which has no /scale. */
  createPlain(name: string): Promise<void>;
  createPod(name: string, labels: Readonly<Record<string, string>>, isReady?: boolean): Promise<void>;
  /** From now on a list of pods comes in pages of this size. */
  pageBy(size: number): void;
  /** The Event object of this name in the bench's namespace. */
  event(name: string): Promise<ShownEvent | undefined>;
  /** What the metrics APIs serve; "none": this server has none. */
  readonly metrics: MetricsFixture | "none";

  readonly mishaps: Mishaps & AnswerMishaps;
  close(): Promise<void>;
}

export interface ShownEvent extends HpaEvent {
  readonly count: number;
  readonly firstTimestamp: EpochMs;
  readonly lastTimestamp: EpochMs;
  readonly target: ObservedTarget;
}

export interface MetricsFixture {
  setPodUsage(usage: {
    namespace: string;
    name: string;
    labels: Record<string, string>;
    containers: Record<string, Record<string, string>>;
    timestamp: string;
    windowSeconds: number;
  }): void;
  setObject(reading: {
    namespace: string;
    resource: string;
    name: string;
    kind: string;
    apiVersion: string;
    labels?: Record<string, string>;
    metric: string;
    metricLabels?: Record<string, string>;
    value: string;
  }): void;
  setExternal(reading: { namespace: string; metric: string; labels: Record<string, string>; value: string }): void;
}

/** Long enough for a server to start and to define kinds. */
export const setUpMs = 120_000;

export const signal = () => noLimit();

/** One bench for all tests of a contract. Called within `describe`. */
export function sharedCluster(setUp: () => Promise<ClusterBench>) {
  let bench: ClusterBench;
  let objects = 0;

  beforeAll(async () => {
    bench = await setUp();
  }, setUpMs);

  afterAll(async () => {
    await bench.close();
  });

  return {
    get bench() {
      return bench;
    },
    get cluster() {
      return bench.cluster;
    },
    get namespace() {
      return bench.namespace;
    },
    async create(kind: ScalableKind, replicas: number) {
      const name = `web-${++objects}`;
      const { uid } = await bench.create(kind, name, replicas);
      const target: Target = { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace: bench.namespace };
      return { target, name, uid, replicas: () => bench.replicas(kind, name) };
    },
  };
}

export type SharedCluster = ReturnType<typeof sharedCluster>;
