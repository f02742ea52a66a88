import { failure } from "../failure";
import { find, type Finding, notFoundText } from "../resources/find";
import type { Target } from "../resources/parse-targets";
import type { Session } from "../session";
import { eventFilter } from "./about-events";
import type { GetOptions } from "./get-options";
import { sortBy } from "./sort-by";

/** What `get` is asked for, as it stands now: one finding for each target. */
export async function read(
  session: Session,
  targets: readonly Target[],
  options: GetOptions,
): Promise<readonly Finding[]> {
  const aboutEvents = options.for !== undefined || options.types !== undefined;
  if (aboutEvents && targets.some(({ resource }) => resource.name !== "events"))
    throw failure("--for and --types are for `get events`", 2);
  const isAsked = eventFilter(options);
  return Promise.all(
    targets.map(async (target) => {
      const finding = await find(session, target, options);
      const asked = aboutEvents ? finding.found.filter(isAsked) : finding.found;
      return { ...finding, found: options.sortBy === undefined ? asked : sortBy(asked, options.sortBy) };
    }),
  );
}

/** Says of what nothing was found, on stderr; true when a name was among it that had to be. */
export function tellMissing(session: Session, findings: readonly Finding[], ignoreNotFound: boolean): boolean {
  const lines = ignoreNotFound ? [] : findings.flatMap(notFoundText);
  for (const line of lines) session.out.note(line);
  return lines.length > 0;
}

/** kubectl's words when a list has nothing in it. */
export function nothingFound({ scope: { namespace } }: Finding): string {
  return namespace === undefined ? "No resources found" : `No resources found in ${namespace} namespace.`;
}
