import { escapeLine } from "../../lib/k8s/escape-terminal";
import type { Found } from "../../lib/read/found";
import { collect } from "../shell/input/document-options";
import { failure } from "../shell/failure";
import { resourceOf } from "../shell/resources/parse-targets";

export interface EventChoice {
  readonly for?: string;
  readonly types?: readonly string[];
}

/** @throws Failure when --for does not name an HPA */
export function eventFilter({ for: target, types = [] }: EventChoice): (event: Found) => boolean {
  const name = target === undefined ? "" : hpaOf(target);
  return ({ object }) => {
    const { involvedObject, type = "" } = object as { involvedObject?: { name?: string }; type?: string };
    return (name === "" || involvedObject?.name === name) && (types.length === 0 || types.includes(type));
  };
}

/** Parses `hpa/<name>`; as in kubectl, `hpa/` means all. */
function hpaOf(given: string): string {
  const [type = "", name, ...more] = given.split("/");
  if (name === undefined) throw failure("--for must be in resource/name form");
  if (more.length > 0) throw failure("arguments in resource/name form may not have more than one slash");
  if (resourceOf(type.toLowerCase()).name === "hpa") return name;
  throw failure(`--for: expected hpa/<name>, got "${escapeLine(given)}": the table has events of HPAs alone`);
}

/** Repeatable, separated by commas, in any letter case. @throws Failure, in kubectl's words */
export function eventTypes(text: string, previous: readonly string[] = []): readonly string[] {
  const types = collect(text).map((given) => {
    const type = ["Normal", "Warning"].find((known) => known.toLowerCase() === given.toLowerCase());
    if (type === undefined) throw failure(`valid --types are Normal or Warning, got "${escapeLine(given)}"`);
    return type;
  });
  return [...previous, ...types];
}
