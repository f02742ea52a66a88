import { isMap } from "../k8s/map";
import { problemsOf } from "./check/check-schema";
import { excerpt, type Problem, problemText, shown } from "./check/problem";
import { Fault } from "./fault";
import type { WakeRequest } from "./schema/messages";
import * as validators from "./validators/messages";

export type { WakeRequest } from "./schema/messages";

const expected = 'an object {"cluster", "namespace", "name"} or {"queue"}, with or without "cluster"';

/** @throws Fault badEntry */
export function readWakeRequest(value: unknown): WakeRequest {
  if (!isMap(value)) throw refused(`expected ${expected}, got ${shown(value)}`);
  const kind = Object.hasOwn(value, "queue") ? "queueRequest" : "hpaRequest";
  const [problem] = problemsOf(validators[kind], value);
  if (problem !== undefined) throw refused(fieldText(problem));
  return value as unknown as WakeRequest;
}

/** @throws Fault badEntry */
export function parseWakeRequest(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault("badEntry", `wake request: expected ${expected} as JSON, got ${excerpt(text)}`, { cause });
  }
}

function fieldText(problem: Problem): string {
  return problem.path === "" ? problemText(problem) : `field ${problemText(problem)}`;
}

function refused(message: string): Fault {
  return new Fault("badEntry", `wake request: ${message}`);
}
