/**
 * The ids that AWS gave the requests that failed last, by the message of their failure. A message has no id itself, so
 * that a lasting failure reads the same in every slot. It goes through readings, decisions and states as text; the line
 * of the log that quotes it finds the id here.
 */
const most = 200;
/** Ids are a service's, or a proxy's in its place. */
const idForm = /^[\w+/=-]{1,128}$/;

/** Shared by all copies of this module in a bundle, as the brand of Fault. */
const key: unique symbol = Symbol.for("ebb.dev/request-ids");
const shared = globalThis as { [key]?: Map<string, string> };
const idByMessage = (shared[key] ??= new Map<string, string>());

/** What may be shown of an id; undefined if it has not the form of one. */
export function requestIdOf(given: unknown): string | undefined {
  return typeof given === "string" && idForm.test(given) ? given : undefined;
}

export function keepRequestId(message: string, id: string): void {
  idByMessage.delete(message);
  idByMessage.set(message, id);
  const [oldest] = idByMessage.keys();
  if (idByMessage.size > most && oldest !== undefined) idByMessage.delete(oldest);
}

/** The id of the newest failed request whose failure is quoted in the text. */
export function requestIdIn(text: string): string | undefined {
  return [...idByMessage].findLast(([message]) => text.includes(message))?.[1];
}
