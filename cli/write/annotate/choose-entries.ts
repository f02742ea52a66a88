import type { Command } from "commander";
import { someAtATime } from "../../../lib/async/semaphore";
import type { EntryKind } from "../../../lib/model/entry/kinds";
import { matches } from "../../../lib/k8s/selector";
import type { EntryScope, StoredEntry } from "../../../lib/model/ports/entries";
import { addDocumentOptions, type DocumentOptions } from "../../shell/input/document-options";
import { failure } from "../../shell/failure";
import { entryKindOf, missingLines, noteNothing, selectorFor } from "../../shell/input/find";
import { readsAtATime } from "../../../lib/read/find-hpas";
import { labelsOf } from "../../../lib/read/found";
import type { ResourceQuery } from "../../shell/input/parse-targets";
import type { Session } from "../../shell/session";

export interface ChoiceOptions extends DocumentOptions {
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
}

export function addChoiceOptions(command: Command): Command {
  return addDocumentOptions(command)
    .option("-l, --selector <selector>", "objects whose labels match, such as -l app=web,tier!=cache")
    .option("--all", "all objects of the type in the namespace")
    .option("-A, --all-namespaces", "with -l or --all: in all namespaces");
}

export interface Choice {
  readonly entries: readonly StoredEntry[];
  /** Unknown names, in the API server's words, each with a similar name. */
  readonly missing: readonly string[];
}

/** @throws Failure for an ambiguous query */
export async function chooseEntries(session: Session, target: ResourceQuery, options: ChoiceOptions): Promise<Choice> {
  const { resource, names } = target;
  const kind = entryKindOf(resource.name);
  if (kind === undefined) throw failure(`${resource.name} cannot be changed`);
  const { all = false, allNamespaces = false, selector } = options;
  if (all && selector !== undefined) throw failure("cannot set --all and --selector at the same time");
  if (names !== undefined && (all || selector !== undefined))
    throw failure("name cannot be provided when a selector or --all is specified");
  if (names !== undefined && allNamespaces)
    throw failure("a resource cannot be retrieved by name across all namespaces");
  if (names === undefined && !all && selector === undefined)
    throw failure("resource(s) were provided, but no name was specified: name them, or use --all or -l SELECTOR");
  if (names !== undefined) return await named(session, kind, { ...target, names });
  const parsed = selector === undefined ? undefined : selectorFor(selector, resource.name);
  const { namespace } = session.settings;
  const scope: EntryScope = {
    ...(kind !== "Cluster" && { cluster: await session.cluster() }),
    ...(!allNamespaces && { namespace }),
  };
  const found = await session.entries.list(kind, scope, session.signal);
  const entries = found.filter(({ document }) => parsed === undefined || matches(parsed, labelsOf(document)));
  if (entries.length === 0) {
    const isWithin = !allNamespaces && kind === "HorizontalPodAutoscaler";
    const { cluster } = scope;
    await noteNothing(session, {
      resource: resource.name,
      clusters: cluster === undefined ? [] : [cluster],
      ...(isWithin && { namespace }),
    });
  }
  return { entries, missing: [] };
}

async function named(
  session: Session,
  kind: EntryKind,
  { resource, names, place }: ResourceQuery & { readonly names: readonly string[] },
): Promise<Choice> {
  const { entries, signal, settings } = session;
  const cluster = kind === "Cluster" ? undefined : (place?.cluster ?? (await session.cluster()));
  const where = kind === "HorizontalPodAutoscaler" ? { namespace: place?.namespace ?? settings.namespace } : {};
  const distinct = [...new Set(names)];
  const found = await someAtATime(distinct, { limit: readsAtATime, signal }, (name) =>
    entries.get({ kind, cluster: cluster ?? name, ...where, name }, signal),
  );
  return {
    entries: found.filter((entry) => entry !== undefined),
    missing: await missingLines(
      session,
      { resource: resource.name, clusters: cluster === undefined ? [] : [cluster], ...where },
      distinct.filter((_, index) => found[index] === undefined),
    ),
  };
}
