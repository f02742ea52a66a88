import { waitForCosts } from "../../../lib/sync/scale/wait-for-costs";
import type { BusyPod } from "../../../lib/readings/read-busy";
import type { DeletionCosts } from "../../../lib/model/stored/state";

const pod = (isBusy: boolean, cost?: number, isOwnCost = true): BusyPod => ({
  name: `web-${isBusy ? "busy" : "idle"}`,
  resourceVersion: "1",
  isReady: true,
  isEnding: false,
  isBusy,
  ...(cost !== undefined && { cost, isOwnCost }),
});
const idle = pod(false);
const unordered = [pod(true), idle, idle];
const ordered = [pod(true, 1), idle, idle];
const selector = "app=web";
const now = 1_000_000;
const ago = (seconds: number) => now - seconds * 1_000;

interface Wait {
  readonly pods: readonly BusyPod[];
  readonly before?: DeletionCosts;
  /** A second after `now`, or before it. */
  readonly seenIn?: number;
  readonly costs?: DeletionCosts;
  readonly isOverdue?: true;
}

test.each<[string, Wait]>([
  ["costs are set", { pods: unordered, seenIn: 10, costs: { at: now, since: now, selector } }],
  [
    "they were set a slot ago",
    {
      pods: ordered,
      before: { at: ago(15), since: ago(15), selector },
      seenIn: -5,
      costs: { at: ago(15), since: ago(15), selector },
    },
  ],
  [
    "another pod is busy by now",
    {
      pods: unordered,
      before: { at: ago(15), since: ago(15), selector },
      seenIn: 10,
      costs: { at: now, since: ago(15), selector },
    },
  ],
  [
    "for a minute, another pod each time",
    {
      pods: unordered,
      before: { at: ago(15), since: ago(60), selector },
      costs: { at: now, since: ago(60), selector },
      isOverdue: true,
    },
  ],
  ["nobody knows since when they are right", { pods: ordered, seenIn: 10, costs: { at: now, since: now, selector } }],
  [
    "they are being taken away",
    { pods: ordered, before: { at: ago(1), selector }, seenIn: 9, costs: { at: ago(1), since: now, selector } },
  ],
  [
    "the clock was ahead",
    {
      pods: ordered,
      before: { at: ago(-1e6), since: ago(-1e6), selector },
      seenIn: 10,
      costs: { at: now, since: now, selector },
    },
  ],
  [
    "all pods are idle",
    { pods: [pod(false, 1), idle], before: { at: ago(1), selector }, costs: { at: ago(1), since: now, selector } },
  ],
  [
    "costs of an earlier target are still there",
    {
      pods: ordered,
      before: { at: ago(99), selector: "app=old" },
      seenIn: 10,
      costs: { at: ago(99), selector: "app=old" },
    },
  ],
  ["the costs of a user order them", { pods: [pod(true, 5, false), idle] }],
])("%s", (_, { pods, before, seenIn, costs, isOverdue = false }) => {
  const { changes: _changes, ...wait } = waitForCosts({ pods, selector }, before, now);
  expect(wait).toEqual({ costs, isOverdue, ...(seenIn !== undefined && { seenAt: ago(-seenIn) }) });
});
