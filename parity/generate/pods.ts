import fc from "fast-check";
import { cpu, memory, rarely } from "./quantities";

const requests = fc
  .record({
    cpu,
    memory,
    lacks: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, "cpu", "memory"),
  })
  .map(({ lacks, ...amounts }) => {
    const present = Object.entries(amounts).filter(([name]) => name !== lacks);
    return { requests: Object.fromEntries(present) };
  });

const podSpec = fc
  .record({
    app: requests,
    sidecar: rarely(3, requests),
    restartable: rarely(8, requests),
    ofPod: rarely(10, requests),
    overhead: rarely(10, fc.record({ cpu, memory })),
  })
  .map(({ app, sidecar, restartable, ofPod, overhead }) => ({
    containers: [
      { name: "app", resources: app },
      ...(sidecar === undefined ? [] : [{ name: "sidecar", resources: sidecar }]),
    ],
    ...(restartable && { initContainers: [{ name: "mesh", restartPolicy: "Always", resources: restartable }] }),
    ...(ofPod && { resources: ofPod }),
    ...(overhead && { overhead }),
  }));

const second = 1_000;

/** Around the moments that the periods of initialization and of readiness end at. */
const age = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 600, max: 90_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 400 }) },
);

export interface GeneratedPod {
  readonly metadata: { readonly name: string };
}

/** Pods as they are at `now`. */
export function podsAt(now: number): fc.Arbitrary<readonly GeneratedPod[]> {
  const instant = (secondsBefore: number) => `${new Date(now - secondsBefore * second).toISOString().slice(0, 19)}Z`;
  const pod = fc.record({
    spec: podSpec,
    phase: fc.constantFrom("Running", "Running", "Running", "Running", "Running", "Pending", "Failed", "Succeeded"),
    ready: fc.constantFrom("True", "True", "True", "True", "False", "Unknown", undefined),
    age,
    readyAfter: fc.integer({ min: 0, max: 120 }),
    isStarted: fc.constantFrom(true, true, true, true, true, true, false),
    isDeleted: fc.constantFrom(false, false, false, false, false, false, true),
    isForeign: fc.constantFrom(false, false, false, false, false, false, false, true),
  });
  return fc.array(pod, { maxLength: 12, size: "max" }).map((pods) =>
    pods.map(({ spec, ...given }, index) => ({
      metadata: {
        name: `p${index}`,
        namespace: "default",
        labels: { app: given.isForeign ? "y" : "x" },
        ...(given.isDeleted && { deletionTimestamp: instant(5) }),
      },
      spec,
      status: {
        phase: given.phase,
        ...(given.isStarted && { startTime: instant(given.age) }),
        ...(given.ready !== undefined && {
          conditions: [
            {
              type: "Ready",
              status: given.ready,
              lastTransitionTime: instant(Math.max(0, given.age - given.readyAfter)),
            },
          ],
        }),
      },
    })),
  );
}
