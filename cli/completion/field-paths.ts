import { documentedKinds } from "../explain/fields/documented-kinds";
import { findFields, memberNames } from "../explain/fields/find-fields";

/** Paths that go on with the one that is being written: "cluster.spec.a" with "cluster.spec.auth", and at first the kinds. */
export function fieldPaths(current: string): readonly string[] {
  const all = Object.values(documentedKinds);
  const [word, ...names] = current.split(".").slice(0, -1);
  if (word === undefined) return all.map((one) => one.word);
  const before = [word, ...names].join(".");
  const found = all.filter((one) => one.word === word).flatMap(({ document }) => findFields(document(), names));
  return memberNames(found).map((name) => `${before}.${name}`);
}
