import { type Closing, closeAll, closeOnFailure } from "../../lib/async/closing";
import { type Clock, realClock } from "../clock";
import type { LocalCredential } from "../guard/signature";
import {
  type ClusterSnapshot,
  type ObjectChange,
  type SimulatedCluster,
  startSimulatedCluster,
} from "../backends/kubernetes/cluster";
import type { RunPod } from "../backends/kubernetes/controllers/pod-lifecycle";
import { listAt } from "../backends/kubernetes/resources/object";
import { type Random, seededRandom } from "../random";
import { type AccountSnapshot, type QueueAccount, type QueueChange, createAccount } from "../backends/sqs/account";
import type { Queue } from "../backends/sqs/queue";
import { type SqsServer, startSqsServer } from "../backends/sqs/server";
import { startConsumer, startMetricsServer, wave } from "./metrics-server";
import { type DemoWorkload, createDemoWorkloads, demoNamespace, workersKind } from "./demo-workloads";

export interface SimulationOptions {
  readonly seed?: number;
  readonly clock?: Clock;
  /** 0 or absent: any free port. */
  readonly ports?: { readonly kubernetes?: number; readonly sqs?: number };
  /** Default: a random one. */
  readonly credential?: LocalCredential;
  readonly replicas?: Partial<Readonly<Record<DemoWorkload, number>>>;
  /** Default: the demo's load; empty: none. */
  readonly bursts?: readonly Bursts[];
  readonly snapshot?: SimulationSnapshot;
  /** Gets every change before anyone can see it. */
  readonly record?: (change: SimulationChange) => void;
  /** Default: queues that count exactly. */
  readonly openAccount?: typeof createAccount;
}

export type SimulationChange = ObjectChange | QueueChange;

/** To continue from after a restart. */
export interface SimulationSnapshot {
  readonly cluster: ClusterSnapshot;
  readonly sqs: AccountSnapshot;
}

interface MessageCounts {
  readonly sent: number;
  readonly processed: number;
  /** In the queue, in flight or delayed. */
  readonly left: number;
}

export interface Simulation {
  readonly cluster: SimulatedCluster;
  readonly sqs: Pick<SqsServer, "endpoint" | "credential" | "queueUrl"> & {
    readonly region: string;
    readonly account: QueueAccount;
  };
  readonly namespace: string;
  summary(): Readonly<Record<string, MessageCounts>>;
  snapshot(): SimulationSnapshot;
  /** Leaves no timer and no socket. */
  close(): Promise<void>;
}

/**
 * With 5 messages for each replica (AverageValue 5), a burst of 40 needs 8 consumers. At 1.2 s a message they need
 * about 6 s, so a cycle of 40 s has time to scale up, drain, and return to zero.
 */
const demoBursts: readonly Bursts[] = [
  { queue: "orders", firstAfterMs: 1_500, everyMs: 40_000, messages: [34, 46], spreadMs: 1_500 },
  { queue: "invoices", firstAfterMs: 12_000, everyMs: 55_000, messages: [10, 16], spreadMs: 3_000 },
];

export function startSimulation(options: SimulationOptions = {}): Promise<Simulation> {
  return closeOnFailure((closing) => start(options, closing));
}

async function start(options: SimulationOptions, closing: Closing): Promise<Simulation> {
  const ownClock = realClock();
  closing.add(() => ownClock.close());
  const clock = options.clock ?? ownClock;
  // A continued run must not repeat the snapshot's message IDs.
  const random = seededRandom((options.seed ?? 1) + (options.snapshot?.cluster.resourceVersion ?? 0));
  const bursts = options.bursts ?? demoBursts;
  const counts = new Map<string, { sent: number; processed: number }>();
  const countsOf = (queue: string) => {
    const count = counts.get(queue) ?? { sent: 0, processed: 0 };
    counts.set(queue, count);
    return count;
  };

  const { snapshot, record } = options;
  const recording = record === undefined ? {} : { record };
  const { openAccount = createAccount } = options;
  const account = openAccount({ clock, random, ...recording, ...(snapshot && { snapshot: snapshot.sqs }) });
  for (const queue of ["orders", "invoices"]) account.create(queue, { VisibilityTimeout: "30" });

  const runPod: RunPod = (pod) => {
    const environment = listAt(listAt(pod, "spec.containers")[0], "env");
    const variable = (name: string) => environment.find((each) => each["name"] === name)?.["value"];
    const name = variable("QUEUE_NAME");
    const queue = account.list().find((each) => each.name === name);
    if (queue === undefined) return undefined;
    const serviceMs = Number(variable("SERVICE_MILLISECONDS") ?? 1_000);
    return startConsumer({
      ...{ queue, clock },
      serviceMs: () => serviceMs * random.between(0.8, 1.2),
      onProcessed: () => (countsOf(queue.name).processed += 1),
    });
  };

  const sqs = await startSqsServer(account, {
    ...(options.ports?.sqs !== undefined && { port: options.ports.sqs }),
    ...(options.credential && { credential: options.credential }),
  });
  closing.add(() => sqs.close());
  const cluster = await startSimulatedCluster({
    ...{ clock, runPod, seed: options.seed ?? 1, namespaces: [demoNamespace], customPodSets: [workersKind] },
    ...(options.ports?.kubernetes !== undefined && { port: options.ports.kubernetes }),
    ...(snapshot && { snapshot: snapshot.cluster }),
    ...recording,
  });
  closing.add(() => cluster.close());
  createDemoWorkloads(cluster, { orders: 0, invoices: 0, digest: 0, web: 1, ...options.replicas });

  const stopMetrics = startMetricsServer({
    ...{ cluster, clock, random },
    demands: [{ app: "web", millicoresAt: wave(150, 1_500, 120_000, clock.now()) }],
  });
  const stopLoad = startLoad({
    ...{ clock, random, bursts, queueOf: (name) => account.find(name) },
    onSent: (queue) => (countsOf(queue).sent += 1),
  });
  closing.add(() => closeAll([stopMetrics, stopLoad]));

  return {
    cluster,
    sqs: {
      ...{ endpoint: sqs.endpoint, credential: sqs.credential, queueUrl: (name: string) => sqs.queueUrl(name) },
      ...{ region: account.region, account },
    },
    namespace: demoNamespace,
    summary: () =>
      Object.fromEntries(
        account.list().map((queue) => {
          const { visible, inFlight, delayed } = queue.counts();
          return [queue.name, { ...countsOf(queue.name), left: visible + inFlight + delayed }];
        }),
      ),
    snapshot: () => ({ cluster: cluster.snapshot(), sqs: account.snapshot() }),
    close: () => closing.close(),
  };
}

export interface Bursts {
  readonly queue: string;
  readonly firstAfterMs: number;
  readonly everyMs: number;
  /** At least, and less than. */
  readonly messages: readonly [number, number];
  readonly spreadMs: number;
}

function startLoad(parts: {
  readonly clock: Clock;
  readonly random: Random;
  readonly bursts: readonly Bursts[];
  readonly queueOf: (name: string) => Queue;
  readonly onSent: (queue: string) => void;
}): () => void {
  const { clock, random } = parts;
  let stopped = false;
  const burst = (bursts: Bursts, number: number): void => {
    if (stopped) return;
    const count = Math.floor(random.between(...bursts.messages));
    for (let index = 1; index <= count; index += 1) {
      clock.after(random.between(0, bursts.spreadMs), () => {
        if (stopped) return;
        parts.queueOf(bursts.queue).send(JSON.stringify({ [bursts.queue]: `${number}-${index}` }));
        parts.onSent(bursts.queue);
      });
    }
    clock.after(bursts.everyMs, () => burst(bursts, number + 1));
  };
  for (const bursts of parts.bursts) clock.after(bursts.firstAfterMs, () => burst(bursts, 1));
  return () => {
    stopped = true;
  };
}
