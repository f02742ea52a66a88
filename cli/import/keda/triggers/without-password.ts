import type { TriggerReader } from "../trigger";

/** The address without its user and password: the table never holds a secret. */
export function withoutPassword(trigger: TriggerReader, name: string): string | undefined {
  const address = trigger.text(name);
  if (address === undefined) return undefined;
  const bare = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
  if (bare !== address)
    trigger.note(
      name,
      "is carried over without its user and password: put them into a secret, and name it in the entry",
    );
  return bare;
}
