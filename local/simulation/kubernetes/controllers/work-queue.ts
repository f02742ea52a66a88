import type { Clock } from "../../clock";

/** Keys of objects to look at, each at most once in line, one after another. */
export function createWorkQueue(clock: Clock, reconcile: (key: string) => void): (key: string) => void {
  const waiting = new Set<string>();
  return (key) => {
    if (waiting.has(key)) return;
    waiting.add(key);
    clock.after(0, () => {
      waiting.delete(key);
      reconcile(key);
    });
  };
}

export function keyOf({ metadata }: { metadata: { namespace?: string; name: string } }): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

export function splitKey(key: string): { namespace: string; name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}
