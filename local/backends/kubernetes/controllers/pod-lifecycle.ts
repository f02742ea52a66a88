import { type KubernetesObject, listAt, numberAt, textAt, timestamp, withField } from "../resources/object";
import { pods } from "../resources/kinds";
import { type ControllerParts, isConditionTrue, setCondition } from "./machinery";

export interface PodProcess {
  /** Like SIGTERM: finish the current work, then call `done`. */
  stop(done: () => void): void;
  /** Like SIGKILL. */
  kill(): void;
}

export type RunPod = (pod: KubernetesObject) => PodProcess | undefined;

/** Shortest and longest, in ms. */
export interface PodTiming {
  readonly schedule: readonly [number, number];
  readonly start: readonly [number, number];
  readonly ready: readonly [number, number];
  /** For pods whose process does not report its end. */
  readonly stop: readonly [number, number];
}

export const defaultTiming: PodTiming = {
  schedule: [50, 250],
  start: [900, 2_200],
  ready: [300, 900],
  stop: [500, 1_500],
};

type Step = "schedule" | "start" | "ready" | "run" | "stop" | "none";

type Parts = Omit<ControllerParts, "registry"> & { readonly runPod: RunPod; readonly timing: PodTiming };

/**
 * Scheduler and nodes in one. The next step depends only on the pod's current state, so pods from a snapshot continue.
 */
export function startPodLifecycle(parts: Parts): () => void {
  const { store, clock, random, timing } = parts;
  const begun = new Map<string, Step>();
  const processes = new Map<string, PodProcess>();

  const look = (pod: KubernetesObject): void => {
    const { uid } = pod.metadata;
    const step = nextStep(pod);
    if (begun.get(uid) === step) return;
    begun.set(uid, step);
    if (step === "run") return run(pod);
    if (step === "stop") return stop(pod);
    if (step === "none") return;
    clock.after(random.between(...timing[step]), () => {
      const now = current(pod);
      if (now !== undefined && nextStep(now) === step) store.put(pods, steps[step](parts, now));
    });
  };
  const current = ({ metadata }: KubernetesObject): KubernetesObject | undefined => {
    const pod = store.get(pods, metadata.namespace ?? "", metadata.name);
    return pod?.metadata.uid === metadata.uid ? pod : undefined;
  };
  const run = (pod: KubernetesObject): void => {
    const process = parts.runPod(pod);
    if (process !== undefined) processes.set(pod.metadata.uid, process);
  };
  const stop = (pod: KubernetesObject): void => {
    const message = `Stopping container ${containerName(pod)}`;
    parts.recordEvent(pod, { reason: "Killing", message, component: "kubelet" });
    const remove = (): void => {
      const { namespace = "", name } = pod.metadata;
      if (current(pod) !== undefined) {
        parts.api.delete({ resource: pods, namespace, name }, { gracePeriodSeconds: 0 });
      }
    };
    clock.after((numberAt(pod, "metadata.deletionGracePeriodSeconds") ?? 30) * 1_000, remove);
    const process = processes.get(pod.metadata.uid);
    if (process === undefined) clock.after(random.between(...timing.stop), remove);
    else process.stop(remove);
  };
  const forget = ({ metadata }: KubernetesObject): void => {
    begun.delete(metadata.uid);
    processes.get(metadata.uid)?.kill();
    processes.delete(metadata.uid);
  };

  store.list(pods, "").forEach(look);
  const unsubscribe = store.subscribe(({ type, resource, object }) => {
    if (resource !== pods) return;
    if (type === "DELETED") forget(object);
    else look(object);
  });
  return () => {
    unsubscribe();
    for (const process of processes.values()) process.kill();
    processes.clear();
  };
}

function nextStep(pod: KubernetesObject): Step {
  const phase = textAt(pod, "status.phase");
  if (pod.metadata.deletionTimestamp !== undefined) return "stop";
  if (phase === "Succeeded" || phase === "Failed") return "none";
  if (textAt(pod, "spec.nodeName") === undefined) return "schedule";
  if (phase !== "Running") return "start";
  return isConditionTrue(pod, "Ready") ? "run" : "ready";
}

const containerName = (pod: KubernetesObject): string => textAt(listAt(pod, "spec.containers")[0], "name") ?? "";

const steps = { schedule, start, ready };

function schedule({ clock, random, recordEvent }: Parts, pod: KubernetesObject): KubernetesObject {
  const at = timestamp(clock.now());
  const node = `node-${1 + Math.floor(random.between(0, 3))}`;
  const { namespace = "", name } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  recordEvent(pod, { reason: "Scheduled", message, component: "default-scheduler" });
  const scheduled = setCondition(pod.status?.["conditions"], at, { type: "PodScheduled", status: "True" });
  const because = { reason: "ContainersNotReady", message: `containers with unready status: [${containerName(pod)}]` };
  const conditions = setCondition(scheduled, at, { type: "Ready", status: "False", ...because });
  const waiting = containerStatuses(pod, false, { waiting: { reason: "ContainerCreating" } });
  return withField(
    { ...pod, status: { ...pod.status, conditions, startTime: at, containerStatuses: waiting } },
    "spec.nodeName",
    node,
  );
}

function start({ clock, random, recordEvent }: Parts, pod: KubernetesObject): KubernetesObject {
  const message = `Started container ${containerName(pod)}`;
  recordEvent(pod, { reason: "Started", message, component: "kubelet" });
  const podIP = `10.0.${Math.floor(random.between(0, 256))}.${Math.floor(random.between(1, 255))}`;
  const containers = containerStatuses(pod, false, { running: { startedAt: timestamp(clock.now()) } });
  return { ...pod, status: { ...pod.status, phase: "Running", podIP, containerStatuses: containers } };
}

function ready({ clock }: Parts, pod: KubernetesObject): KubernetesObject {
  const at = timestamp(clock.now());
  const conditions = setCondition(pod.status?.["conditions"], at, { type: "Ready", status: "True" });
  const state = listAt(pod, "status.containerStatuses")[0]?.["state"];
  return { ...pod, status: { ...pod.status, conditions, containerStatuses: containerStatuses(pod, true, state) } };
}

function containerStatuses(pod: KubernetesObject, isReady: boolean, state: unknown): unknown[] {
  return listAt(pod, "spec.containers").map(({ name, image = "" }) => ({
    ...{ name, image, imageID: "", ready: isReady, started: isReady, restartCount: 0, state, lastState: {} },
  }));
}
