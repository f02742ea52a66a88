import { failure } from "../failure";
import { parseTargets, type Target } from "../resources/parse-targets";

/** Targets of a verb that is for HPAs alone. @throws Failure */
export function parseHpas(args: readonly string[], verb: string): readonly Target[] {
  const targets = parseTargets(args, verb);
  const other = targets.find(({ resource }) => resource.name !== "hpa");
  if (other !== undefined) throw failure(`${verb} is for hpa, not for ${other.resource.name}`, 2);
  return targets;
}
