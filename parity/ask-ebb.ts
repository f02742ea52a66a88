import { withoutNulls } from "../cli/understand/evaluate/read-history";
import { readMoment, readStory, withStatus, withStoredStatus } from "../cli/understand/evaluate/read-situation";
import { evaluate } from "../lib/core/evaluate";
import { evaluateEntry } from "../lib/core/evaluate-entry";
import { decodeStored } from "../lib/k8s/codec/decode-stored";
import type { HorizontalPodAutoscaler } from "../lib/k8s/hpa";
import { validateHpa } from "../lib/k8s/validate/validate-hpa";
import { readOperations } from "../lib/model/entry/annotations";
import type { Decision, History } from "../lib/model/situation";
import type { StoredEntry } from "../lib/model/ports/entries";
import { editedEntry, nextEntry, type NextEntry } from "../lib/table/next-entry";
import type { Answer, Case } from "./case";

/** What upstream's answer to a situation holds. */
export interface Decided {
  readonly desiredReplicas: number;
  readonly scaleTo: number | null;
  readonly conditions: readonly unknown[];
  readonly currentMetrics: readonly unknown[];
  readonly events: readonly unknown[];
  /** Absent: 0. */
  readonly observedGeneration?: number;
}

/** Tests replay upstream's recorded answers through these, and `npm run parity` its fresh ones. */
export function askEbb({ kind, given }: Case): Answer {
  if (kind === "document") return create(given);
  if (kind === "update") return update(given as Update);
  try {
    return { expect: kind === "decision" ? decide(given) : tell(given) };
  } catch (error) {
    return { unreadable: (error as Error).message };
  }
}

/** @throws InputError for a situation that cannot be read */
export function decide(given: unknown): Decided {
  const { situation, now } = readMoment(withoutNulls(given));
  const operations = readOperations(situation.hpa.metadata);
  if ("errors" in operations) throw new Error(operations.errors.join("; "));
  return decided(evaluateEntry(situation, operations, now));
}

/** One answer for each step. @throws InputError */
export function tell(given: unknown): readonly Decided[] {
  const read = readStory(withoutNulls(given));
  let constant = read.constant;
  let history: History | null = null;
  return read.steps.map(({ now, seen }) => {
    const decision = withStoredStatus(constant, evaluate({ ...constant, ...seen, history }, now));
    constant = withStatus(constant, decision.status);
    history = decision.history;
    return decided(decision);
  });
}

interface Update {
  readonly old: unknown;
  readonly new: unknown;
}

function create(given: unknown): Answer {
  const { errors, hpa } = validateHpa(given);
  return { expect: hpa === undefined ? { errors } : stored(hpa, nextEntry(undefined, { ...hpa }, birth)) };
}

const birth = { at: 0, uid: "" };

/** An API server stores nothing that it cannot read, so there is no such question. */
function update({ old, new: replacing }: Update): Answer {
  const before = decodeStored(old, "known");
  if (before === undefined) return { unreadable: "the stored document" };
  const { errors, hpa } = validateHpa(replacing, { stored: before });
  if (hpa === undefined) return { expect: { errors } };
  const ref = { cluster: "parity", kind: "HorizontalPodAutoscaler", name: before.metadata.name };
  return { expect: stored(hpa, editedEntry({ ref, document: old } as unknown as StoredEntry, { ...hpa })) };
}

function stored({ spec }: HorizontalPodAutoscaler, { document }: NextEntry): object {
  const { generation = 0 } = document["metadata"] as { readonly generation?: number };
  return { errors: [], spec, ...(generation !== 0 && { generation }) };
}

/** Upstream's errors, or the defaulted spec. */
export function admit(given: unknown): object {
  const { errors, hpa } = validateHpa(given);
  return hpa === undefined ? { errors } : { errors, spec: hpa.spec };
}

function decided({ desiredReplicas, scaleTo, status, events }: Decision): Decided {
  const conditions = (status.conditions ?? []).map(({ type, status: value, reason, message }) => ({
    type,
    status: value,
    reason,
    message,
  }));
  const { observedGeneration = 0 } = status;
  const answer = { desiredReplicas, scaleTo, conditions, currentMetrics: status.currentMetrics ?? [], events };
  return observedGeneration === 0 ? answer : { ...answer, observedGeneration };
}
