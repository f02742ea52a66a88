import type { Command } from "commander";
import { present } from "../../lib/k8s/map";
import type { EntryRef } from "../../lib/model/ports/entries";
import { addWriteOptions, type DryRun, dryRunOption, type WriteOptions } from "../shell/input/document-options";
import { failure } from "../shell/failure";
import type { Listing } from "../../lib/read/find";
import { entryKindOf, find, type Narrowing } from "../shell/input/find";
import { parseTargets } from "../shell/input/parse-targets";
import { isByFile } from "./documents/query-files";
import type { Session } from "../shell/session";

export interface DeleteFlags extends Narrowing, WriteOptions {
  readonly all?: boolean;
  readonly cascade?: boolean;
  readonly dryRun: DryRun;
  readonly ignoreNotFound?: boolean;
  readonly output?: "name";
}

export function addDeleteFlags(command: Command): Command {
  return addWriteOptions(command)
    .option("-l, --selector <selector>", "objects whose labels match, such as -l app=web,tier!=cache")
    .option("--all", "all objects of the type in the namespace")
    .option("-A, --all-namespaces", "with -l or --all: in all namespaces")
    .option("--cascade", "with a cluster, also delete its HPAs and metric sources")
    .option("--ignore-not-found", "do not fail when an object does not exist")
    .option("-o, --output <format>", "name: print only type and name")
    .addOption(dryRunOption());
}

/** @throws Failure, in kubectl's words */
export function checkDeleteFlags(args: readonly string[], options: DeleteFlags): void {
  const { all = false, selector, output } = options;
  const named = args.length > 1 || (args[0]?.includes("/") ?? false);
  if (output !== undefined && output !== "name")
    throw failure(`unexpected -o output mode: ${String(output)}. We only support '-o name'`);
  if (isByFile(options) && args.length > 0)
    throw failure("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well");
  if (all && selector !== undefined) throw failure("cannot set --all and --selector at the same time");
  if (named && all) throw failure("name cannot be provided when a selector is specified");
  if (!isByFile(options) && args.length > 0 && !named && !all && selector === undefined)
    throw failure("resource(s) were provided, but no name was specified");
}

/**
 * The cluster goes last: without its entry, ebb would never clean up its HPAs.
 *
 * @throws Failure for contents without `cascade`
 */
export async function withContents(
  ref: EntryRef,
  cascade: boolean,
  { entries, signal }: Pick<Session, "entries" | "signal">,
): Promise<readonly EntryRef[]> {
  if (ref.kind !== "Cluster") return [ref];
  const { cluster } = ref;
  const [hpas, sources] = await Promise.all([
    entries.list("HorizontalPodAutoscaler", { cluster }, signal),
    entries.list("MetricSource", { cluster }, signal),
  ]);
  const contents = [...hpas, ...sources].map((entry) => entry.ref);
  if (cascade || contents.length === 0) return [...contents, ref];
  const counts = `${counted(hpas.length, "HPA")} and ${counted(sources.length, "metric source")}`;
  throw failure(`cluster "${cluster}" still has ${counts}: delete them first, or delete everything with --cascade`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** @throws Failure if no cluster is chosen and there are several */
export async function doomedBy(session: Session, args: readonly string[], options: DeleteFlags) {
  const findings: Listing[] = [];
  const refs: EntryRef[] = [];
  for (const query of parseTargets(args, "delete")) {
    const kind = entryKindOf(query.resource.name);
    if (kind === undefined) throw failure("events cannot be deleted: they expire after an hour, or go with their HPA");
    const finding = await find(kind === "Cluster" ? session : await inOneCluster(session), query, options);
    findings.push(finding);
    refs.push(
      ...finding.found.map(({ cluster, namespace, name }) => ({ kind, cluster, ...present({ namespace }), name })),
    );
  }
  return { refs, findings };
}

async function inOneCluster(session: Session): Promise<Session> {
  const cluster = await session.cluster();
  return { ...session, clusters: () => Promise.resolve([cluster]) };
}
