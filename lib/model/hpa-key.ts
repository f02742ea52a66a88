/** Users write sort keys by hand: one without a slash has no name, and its entry is invalid. */
export type HpaKey = `${string}/${string}`;

export interface HpaName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

export function hpaKey(namespace: string, name: string): HpaKey {
  return `${namespace}/${name}`;
}

/** `text`: a sort key without its prefix. */
export function asHpaKey(text: string): HpaKey {
  return text as HpaKey;
}

export function isHpaKey(text: string): text is HpaKey {
  return /^[^/]+\/(?!HPA#)[^/]+$/.test(text);
}

/** "shop/web"; a malformed key as its sort key, "HPA#web", which `ebb edit` and `ebb delete` accept. */
export function shownName(key: string): string {
  return isHpaKey(key) ? key : `HPA#${key}`;
}

export function keyNamed(namespace: string, name: string): HpaKey {
  return name.startsWith("HPA#") ? asHpaKey(name.slice("HPA#".length)) : hpaKey(namespace, name);
}

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
