import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from "yaml";

const step = /\.?([^.[\]]+)|\["((?:[^"\\]|\\.)*)"\]|\[([^\]]*)\]/gy;

/**
 * Where a field of an error stands: the node of its key, or of a list's element. Of a field that is not written it is the nearest one
 * around it that is; undefined when not even its first step is written.
 *
 * `field` is a path as the API server writes it: "spec.metrics[0].type", "metadata.annotations[ebb.dev/paused]".
 */
export function locateField(root: Node | null, field: string, document: Document): Node | undefined {
  let value: unknown = root;
  let found: Node | undefined;
  for (const [, name, quoted, bracketed] of field.matchAll(step)) {
    const next = child(isAlias(value) ? value.resolve(document) : value, name ?? quoted ?? bracketed ?? "");
    if (next === undefined) return found;
    found = next.mark;
    value = next.value;
  }
  return found;
}

interface Child {
  /** What to point at. */
  readonly mark: Node;
  readonly value: unknown;
}

function child(parent: unknown, name: string): Child | undefined {
  if (isSeq(parent)) {
    const item = parent.items[Number(name)];
    return isNode(item) ? { mark: item, value: item } : undefined;
  }
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === name);
  return pair && isNode(pair.key) ? { mark: pair.key, value: pair.value } : undefined;
}
