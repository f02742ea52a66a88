import { present } from "../../../lib/k8s/map";
import { readPlaced } from "../place-documents";
import type { DocumentOptions } from "../../shell/input/document-options";
import { failure } from "../../shell/failure";
import type { Session } from "../../shell/session";
import type { CommandLine } from "../../shell/table-verb";
import { resourceOfKind } from "../../shell/input/find";
import { parseTargets, type ResourceQuery } from "../../shell/input/parse-targets";

/** TYPE NAME… or TYPE/NAME…, or files. */
export type QueryInput = CommandLine<DocumentOptions>;

export function isByFile({ filename, kustomize }: DocumentOptions): boolean {
  return filename !== undefined || kustomize !== undefined;
}

/** `[TYPE | TYPE/NAME] [NAME...]`; empty with -f. */
export function argsOf(type: string | undefined, names: readonly string[]): readonly string[] {
  return type === undefined ? [] : [type, ...names];
}

/** @throws Failure for other objects than HPAs */
export async function hpaQueriesOf(session: Session, input: QueryInput): Promise<readonly ResourceQuery[]> {
  const queries = await queriesOf(session, input);
  const other = queries.find(({ resource }) => resource.name !== "hpa");
  if (other === undefined) return queries;
  throw failure(`${input.command.name()} works only on hpa, not on ${other.resource.name}`);
}

/** @throws Failure */
export async function queriesOf(session: Session, asked: QueryInput): Promise<readonly ResourceQuery[]> {
  const { args, options, command, stdin } = asked;
  if (!isByFile(options)) return parseTargets(args, command.name());
  if (args.length > 0)
    throw failure("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well");
  const queries: ResourceQuery[] = [];
  for (const { ref } of await readPlaced({ options, command, stdin }, session)) {
    const { kind, cluster, namespace, name } = ref;
    const place = { cluster, ...present({ namespace }) };
    const last = queries.at(-1);
    const isNeighbour =
      last?.place?.cluster === cluster &&
      last.place.namespace === namespace &&
      last.resource.name === resourceOfKind[kind];
    if (isNeighbour) queries[queries.length - 1] = { ...last, names: [...(last.names ?? []), name] };
    else queries.push({ resource: { name: resourceOfKind[kind] }, names: [name], place });
  }
  return queries;
}
