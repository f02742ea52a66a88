import { escapeLine } from "../lib/k8s/escape-terminal";
import type { EpochMs } from "../lib/k8s/time";
import type { FailureLine, ScaledLine, SyncCounts, Reporter } from "../lib/model/report";
import type { DryRunScaling } from "./dry-run-store";
import { layOut, type Paint } from "./terminal-lines";

export interface LineReporter extends Reporter {
  readonly totals: { syncs: number; scalings: number; failures: number };
  readonly onDryRunScaling: (scaling: DryRunScaling) => void;
}

export interface Terminal {
  /** Default: unlimited. */
  readonly columns?: () => number;
  /** Default: no colour. */
  readonly paint?: Paint;
}

/**
 * `12:00:05 shop/Deployment/orders 0 → 4 external metric sqs(queue=orders) above target`. Escapes names and messages.
 */
export function lineReporter(write: (line: string) => void, terminal: Terminal = {}): LineReporter {
  const totals = { syncs: 0, scalings: 0, failures: 0 };
  const lines = layOut(terminal);
  const print = (at: EpochMs, who: string, sign: Parameters<typeof lines>[0]["sign"], text: string) =>
    lines({ start: clock(at), who: escapeLine(who), sign, text: escapeLine(text) }).forEach(write);

  return {
    totals,
    scaled({ at, namespace, target, from, to, reason, message }: ScaledLine) {
      totals.scalings += 1;
      const because = reasonOf({ from, to, message });
      print(
        at,
        `${namespace}/${target}`,
        { text: `${from} → ${to}`, style: to > from ? "green" : "cyan" },
        reason === "SuccessfulRescale" ? because : `${reason}: ${because}`,
      );
    },
    onDryRunScaling({ key, record: { at, from, desiredReplicas }, message }) {
      print(at, key, { text: `${from ?? "?"} ⇢ ${desiredReplicas}`, style: "yellow" }, shortMessage(message));
    },
    failed({ at, cluster, key, hpas, reason, message }: FailureLine) {
      totals.failures += 1;
      const who = key ?? (hpas === undefined ? `cluster ${cluster}` : `cluster ${cluster} (${hpas} HPAs)`);
      print(at, who, { text: "failed", style: "yellow" }, `${reason}: ${shortMessage(message)}`);
    },
    recovered({ key, cluster }) {
      print(Date.now(), key ?? `cluster ${cluster}`, { text: "ok", style: "green" }, "recovered");
    },
    synced({ outcome }: SyncCounts) {
      if (outcome === "synced") totals.syncs += 1;
    },
    ticked() {},
  };
}

/**
 * Upstream's event says what the metrics alone would do, so it misleads if the window's recommendation or minReplicas
 * raises the size: test/core/explain/cause.property.test.ts
 */
function reasonOf({ from, to, message }: Pick<ScaledLine, "from" | "to" | "message">): string {
  if (to < from || !/reason: (All metrics below target)?$/.test(message)) return shortMessage(message);
  const window = "the highest recent recommendation";
  return from === 0 ? `minReplicas, or ${window}` : window;
}

function clock(at: EpochMs): string {
  return new Date(at).toTimeString().slice(0, 8);
}

const selector =
  /(\(?)&LabelSelector\{MatchLabels:map\[string\]string\{(.*?)\},MatchExpressions:\[\]LabelSelectorRequirement\{((?:LabelSelectorRequirement\{.*?\],\},)*)\},\}(\)?)/g;
const label = /(?<key>[^:]*): (?<value>.*?),(?=[^,:]*: |$)/g;
const requirement = /LabelSelectorRequirement\{Key:(.*?),Operator:(.*?),Values:\[(.*?)\],\},/g;

const longest = 4096;

/**
 * Leaves out the new size, which the line shows, and shortens selectors: `external metric sqs(queue=orders) above
 * target`
 */
export function shortMessage(message: string): string {
  if (message.length > longest) return message;
  return message
    .replace(/^New size: \d+; reason: (?=.)/s, "")
    .replaceAll(selector, (...[, open = "", labels = "", requirements = "", close = ""]: readonly string[]) => {
      const pairs = [...labels.matchAll(label)].map(({ groups = {} }) => `${groups["key"]}=${groups["value"]}`);
      const others = [...requirements.matchAll(requirement)].map(([, key = "", operator = "", values = ""]) =>
        requirementText(key, operator, values),
      );
      const text = [...pairs, ...others].join(",");
      return text === "" && open === "(" && close === ")" ? "" : `${open}${text}${close}`;
    })
    .replace(" (percentage of request)", "")
    .replaceAll(/( metric [^\s(]+)\(nil\)/g, "$1");
}

function requirementText(key: string, operator: string, values: string): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${values.replaceAll(" ", ",")})`;
}
