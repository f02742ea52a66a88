import { isMap } from "../../../lib/k8s/map";
import { invalidParameter, missingParameter, type ActionInput } from "./errors";
import type { Queue } from "./queue";

export type Tags = Readonly<Record<string, string>>;

const most = 50;

/** @throws SqsError for an invalid tag */
export function tagsOf(given: unknown): Tags {
  if (given === undefined || given === null) return {};
  const entries = isMap(given) ? Object.entries(given) : undefined;
  const isTag = ([key, value]: readonly [string, unknown]) =>
    key.length > 0 && key.length <= 128 && typeof value === "string" && value.length <= 256;
  if (entries === undefined || !entries.every(isTag))
    throw invalidParameter("Tags: expected keys of 1 to 128 characters with values of at most 256");
  return Object.fromEntries(entries) as Tags;
}

export function tagQueue(queue: Queue, input: ActionInput): void {
  const all = { ...queue.tags(), ...tagsOf(input["Tags"]) };
  if (Object.keys(all).length > most) throw invalidParameter(`Too many tags added for queue ${queue.name}.`);
  queue.setTags(all);
}

export function untagQueue(queue: Queue, { TagKeys: keys }: ActionInput): void {
  if (!Array.isArray(keys)) throw missingParameter("TagKeys");
  queue.setTags(Object.fromEntries(Object.entries(queue.tags()).filter(([key]) => !keys.includes(key))));
}

export function listQueueTags(queue: Queue): unknown {
  const tags = queue.tags();
  return Object.keys(tags).length === 0 ? {} : { Tags: tags };
}
