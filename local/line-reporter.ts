import { styleText } from "node:util";
import { escapeLine } from "../lib/k8s/printing/columns";
import type { EpochMs } from "../lib/k8s/time";
import type { FailureLine, ScaledLine, SyncCounts } from "../lib/model/report";
import type { Reporter } from "../lib/model/ports";

export interface LineReporter extends Reporter {
  readonly totals: { syncs: number; scalings: number; failures: number };
}

/**
 * One line for each scaling and each new failure: `12:00:05  shop/orders  0 → 4  SuccessfulRescale  New size: 4;
 * reason: …`. Names come from the table and messages from far ends: each is escaped.
 */
export function lineReporter(write: (line: string) => void, { colour }: { readonly colour: boolean }): LineReporter {
  const totals = { syncs: 0, scalings: 0, failures: 0 };
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;

  return {
    totals,
    scaled({ at, namespace, target, from, to, reason, message }: ScaledLine) {
      totals.scalings += 1;
      const change = paint(to > from ? "green" : "cyan", `${from} → ${to}`);
      write(
        `${clock(at)}  ${escapeLine(`${namespace}/${target}`)}  ${change}  ${escapeLine(reason)}  ${escapeLine(message)}`,
      );
    },
    failed({ at, cluster, key, hpas, reason, message }: FailureLine) {
      totals.failures += 1;
      const who = key ?? (hpas === undefined ? `cluster ${cluster}` : `cluster ${cluster} (${hpas} HPAs)`);
      write(`${clock(at)}  ${escapeLine(who)}  ${paint("yellow", escapeLine(reason))}  ${escapeLine(message)}`);
    },
    recovered({ key, cluster }) {
      write(`${clock(Date.now())}  ${escapeLine(key ?? `cluster ${cluster}`)}  ${paint("green", "Recovered")}`);
    },
    synced({ outcome }: SyncCounts) {
      if (outcome === "synced") totals.syncs += 1;
    },
    ticked() {},
  };
}

function clock(at: EpochMs): string {
  return new Date(at).toTimeString().slice(0, 8);
}
