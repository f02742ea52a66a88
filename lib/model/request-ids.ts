/** AWS request IDs by message. A message has no ID itself, so that a lasting failure reads the same in every slot. */
const most = 200;
const idForm = /^[\w+/=-]{1,128}$/;

/** Shared by all copies of this module. */
const key: unique symbol = Symbol.for("ebb.dev/request-ids");
const shared = globalThis as { [key]?: Map<string, string> };
const idByMessage = (shared[key] ??= new Map<string, string>());

/** Undefined: not an ID. */
export function requestIdOf(given: unknown): string | undefined {
  return typeof given === "string" && idForm.test(given) ? given : undefined;
}

export function keepRequestId(message: string, id: string): void {
  idByMessage.delete(message);
  idByMessage.set(message, id);
  const [oldest] = idByMessage.keys();
  if (idByMessage.size > most && oldest !== undefined) idByMessage.delete(oldest);
}

/** The ID of the newest failure that the text quotes. */
export function requestIdIn(text: string): string | undefined {
  return [...idByMessage].findLast(([message]) => text.includes(message))?.[1];
}
