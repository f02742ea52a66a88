import { createHash } from "node:crypto";
import { cutText } from "../k8s/go-text";
import { formatInstant, hourMs } from "../k8s/time";
import { escapeLine } from "../k8s/escape-terminal";
import { splitKey } from "../model/hpa-key";
import { hpaStates, holdWords, willNotWake } from "../model/hpa-states";
import { fullType, type HpaType, leftOutType } from "../model/notification";
import type { HpaNotification, LeftOutNotification } from "../model/ports/publisher";
import type { NotifiedHour } from "../model/stored/notified";
import type { State } from "../model/stored/state";
import type { Happening } from "./advance";

const mostText = 1_024;

const shownBytes = 253;
const shown = (text: string) => cutText(escapeLine(text), shownBytes);

export function eventOf(occurrence: Happening, stack: string): HpaNotification {
  const { type, hpa, version, at, since, from, state, seen, entry } = occurrence;
  const { currentReplicas, desiredReplicas } = state.status;
  const [namespace, name] = splitKey(hpa.key);
  const { target, minReplicas, maxReplicas } = entry;
  const group = hash(hpa.cluster, hpa.key);
  return {
    specversion: "1.0",
    id: `${type}.${version}.${group}`,
    source: `/${encoded(stack)}/clusters/${encoded(hpa.cluster)}`,
    type: fullType(type),
    subject: hpa.key,
    time: formatInstant(at),
    datacontenttype: "application/json",
    data: {
      ...{ cluster: hpa.cluster, namespace, name, group },
      summary: `${shown(`${hpa.cluster}: ${hpa.key}`)} ${wordsOf(occurrence)}`,
      states: seen.states.map((one) => hpaStates[one].label),
      ...(target && { target: { kind: cutText(target.kind, mostText), name: cutText(target.name, mostText) } }),
      ...(minReplicas !== undefined && { minReplicas }),
      ...(maxReplicas !== undefined && { maxReplicas }),
      ...(currentReplicas !== undefined && { currentReplicas }),
      ...(desiredReplicas !== undefined && { desiredReplicas }),
      ...(from !== undefined && { from, to: desiredReplicas ?? 0 }),
      ...(since !== undefined && { since: formatInstant(since) }),
      ...whyOf(type, state),
      command: [
        "ebb",
        isForeignZero(occurrence) ? "adopt" : "explain",
        `hpa/${name}`,
        "-n",
        namespace,
        "--cluster",
        hpa.cluster,
      ],
    },
  };
}

export function leftOutEvent({ hour, leftOut }: NotifiedHour, cap: number, stack: string): LeftOutNotification {
  const started = formatInstant(hour);
  return {
    specversion: "1.0",
    id: `left-out.${started}.${hash(stack)}`,
    source: `/${encoded(stack)}`,
    type: leftOutType,
    time: formatInstant(hour + hourMs),
    datacontenttype: "application/json",
    data: {
      summary: `${leftOut} notifications of the hour from ${started} were not sent: an hour has at most ${cap}`,
      ...{ hour: started, leftOut, cap },
    },
  };
}

const words: Readonly<Record<Exclude<HpaType, "not-woken">, string>> = {
  "scaled-to-zero": "was scaled to zero",
  "scaled-from-zero": "was scaled from zero",
  failing: `is ${hpaStates.failing.label}`,
  recovered: "has recovered",
  "unknown-metric": `is ${hpaStates.held.label}: ${holdWords.unknownMetric}`,
  "at-max": `is ${hpaStates.atMax.label}`,
};

function wordsOf(occurrence: Happening): string {
  const { type, state, since } = occurrence;
  const lasting = since === undefined || type === "recovered" ? "" : ` since ${formatInstant(since)}`;
  if (type !== "not-woken") return `${words[type]}${lasting}`;
  if (isForeignZero(occurrence)) return `${willNotWake}${lasting}`;
  return `wants ${state.decision?.desiredReplicas || "more than 0"} replicas and has 0${lasting}`;
}

function isForeignZero({ type, seen }: Happening): boolean {
  return type === "not-woken" && seen.states.includes("notOurZero");
}

function whyOf(type: HpaType, { status, warnings }: State): { readonly reason?: string; readonly message?: string } {
  const condition = (name: string) => status.conditions?.find((one) => one.type === name);
  const found =
    type === "at-max"
      ? condition("ScalingLimited")
      : type === "failing"
        ? (warnings?.[0] ?? condition("AbleToScale"))
        : type === "unknown-metric" || type === "not-woken"
          ? condition("ScalingActive")
          : undefined;
  if (found === undefined) return {};
  const { reason, message } = found;
  return {
    ...(reason !== undefined && { reason: cutText(reason, mostText) }),
    ...(message !== undefined && { message: cutText(message, mostText) }),
  };
}

function hash(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);
}

/** Lone surrogates have no encoding. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
