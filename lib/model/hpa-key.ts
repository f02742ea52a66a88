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

/** Whether a sort key without its prefix is a namespace, a slash and a name. */
export function isHpaKey(text: string): text is HpaKey {
  return /^[^/]+\/(?!HPA#)[^/]+$/.test(text);
}

/**
 * What people call an HPA: "shop/web". One whose key is malformed has no namespace and no name, so it is called by the
 * item's sort key, "HPA#web", which is the name that `ebb edit` and `ebb delete` take.
 */
export function shownName(key: string): string {
  return isHpaKey(key) ? key : `HPA#${key}`;
}

/** The key of the HPA that people call so. */
export function keyNamed(namespace: string, name: string): HpaKey {
  return name.startsWith("HPA#") ? asHpaKey(name.slice("HPA#".length)) : hpaKey(namespace, name);
}

/** As levels: of a tree of shares, or to take apart. */
export function splitKey(key: string): readonly [namespace: string, name: string] {
  return [namespaceOf(key), nameOf(key)];
}

export function namespaceOf(key: string): string {
  const slash = key.indexOf("/");
  return slash === -1 ? key : key.slice(0, slash);
}

export function nameOf(key: string): string {
  const slash = key.indexOf("/");
  return slash === -1 ? "" : key.slice(slash + 1);
}
