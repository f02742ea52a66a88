/**
 * An HPA within its cluster: "namespace/name". Users write the table's keys by hand, so a key may lack the slash. It
 * then has a namespace but no name, and its entry is invalid.
 */
export type HpaKey = `${string}/${string}`;

export function hpaKey(namespace: string, name: string): HpaKey {
  return `${namespace}/${name}`;
}

/** `text`: a sort key without its prefix. */
export function asHpaKey(text: string): HpaKey {
  return text as HpaKey;
}

export function namespaceOf(key: string): string {
  const slash = key.indexOf("/");
  return slash === -1 ? key : key.slice(0, slash);
}

export function nameOf(key: string): string {
  const slash = key.indexOf("/");
  return slash === -1 ? "" : key.slice(slash + 1);
}
