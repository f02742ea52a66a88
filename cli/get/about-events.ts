import { failure } from "../failure";
import type { Found } from "../resources/found";
import { parseTargets } from "../resources/parse-targets";
import type { GetOptions } from "./get-options";

/** Whether an event is one that --for and --types ask for. @throws Failure when --for names no HPA. */
export function eventFilter(options: Pick<GetOptions, "for" | "types">): (event: Found) => boolean {
  const name = options.for === undefined ? undefined : hpaOf(options.for);
  return ({ object }) => {
    const { involvedObject, type } = object as { involvedObject?: { name?: string }; type?: string };
    return (name === undefined || involvedObject?.name === name) && (options.types?.includes(type ?? "") ?? true);
  };
}

function hpaOf(given: string): string {
  const [target, ...more] = given.includes("/") ? parseTargets([given], "get") : [];
  const name = target?.names?.[0];
  if (target?.resource.name !== "hpa" || name === undefined || more.length > 0)
    throw failure(`--for: expected hpa/<name>, got "${given}"`, 2);
  return name;
}
