import { failure } from "../../failure";
import { resourceOf } from "../../resources/resource";
import { type DocumentedKind, documentedKinds } from "./documented-kinds";
import { fieldPage } from "./field-page";
import { findFields, memberNames } from "./find-fields";

/**
 * Field help on a path such as "cluster" or "hpa.spec.behavior"; one of an error's, "hpa.spec.metrics[0].type", will do, too.
 *
 * @throws Failure when there is no such kind or field.
 */
export function explainFields(path: string): string {
  const [word = "", ...names] = path.replace(/\[[^\]]*\]/g, "").split(".");
  const { kind, document, word: shown } = kindOf(word);
  const whole = document();
  for (const [depth, name] of names.entries()) {
    const known = memberNames(findFields(whole, names.slice(0, depth)));
    if (known.includes(name)) continue;
    const parent = [shown, ...names.slice(0, depth)].join(".");
    const others = known.length === 0 ? `${parent} has none` : `${parent} has ${known.join(", ")}`;
    throw failure(`field "${name}" does not exist; ${others}`);
  }
  return fieldPage(kind, findFields(whole, names), names.length === 0);
}

function kindOf(word: string): DocumentedKind {
  const { name } = resourceOf(word);
  if (name !== "events") return documentedKinds[name];
  throw failure("nobody writes events, so there are no fields of theirs to explain; there are cluster, hpa, source", 2);
}
