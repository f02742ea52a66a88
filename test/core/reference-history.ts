import type { Behavior } from "../../lib/k8s/hpa";
import type { Decision, History } from "../../lib/model/situation";
import type { EpochMs } from "../../lib/k8s/time";

/** Upstream's memory as upstream keeps it: one entry a sync, in slots that are used again once they have expired. */
export class ReferenceHistory {
  private recommendations: { replicas: number; at: EpochMs }[] = [];
  private readonly events = { up: [] as Slot[], down: [] as Slot[] };

  history(): History {
    return {
      recommendations: this.recommendations.map(({ replicas, at }) => ({ replicas, since: at, at })),
      scaleUpEvents: this.events.up.map(({ change, at }) => ({ change, at })),
      scaleDownEvents: this.events.down.map(({ change, at }) => ({ change, at })),
    };
  }

  record(decision: Decision, current: number, now: EpochMs, given: { behavior?: Behavior; downscale: number }): void {
    const { behavior, downscale } = given;
    if (this.recommendations.length === 0) this.recommendations = [{ replicas: current, at: now }];
    const up = behavior?.scaleUp?.stabilizationWindowSeconds ?? 0;
    const down = behavior?.scaleDown?.stabilizationWindowSeconds ?? downscale;
    if (decision.recommendation !== null) {
      const cutoff = now - Math.max(behavior === undefined ? 0 : up, down) * 1000;
      const slot = this.recommendations.findLastIndex((one) => one.at < cutoff);
      const entry = { replicas: decision.recommendation, at: now };
      if (slot === -1) this.recommendations.push(entry);
      else this.recommendations[slot] = entry;
    }
    if (decision.scaleTo === null || behavior === undefined) return;
    const rules = decision.scaleTo > current ? behavior.scaleUp : behavior.scaleDown;
    const slots = decision.scaleTo > current ? this.events.up : this.events.down;
    const longest = Math.max(...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
    for (const slot of slots) if (slot.at < now - longest * 1000) slot.outdated = true;
    const event = { change: Math.abs(decision.scaleTo - current), at: now, outdated: false };
    const slot = slots.findLastIndex(({ outdated }) => outdated);
    if (slot === -1) slots.push(event);
    else slots[slot] = event;
  }
}

interface Slot {
  change: number;
  at: EpochMs;
  outdated: boolean;
}
