import { Command } from "commander";
import { decodeStored } from "../../../lib/k8s/codec/decode-stored";
import type { ListedObject } from "../../../lib/cluster/api/pages";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import { isMap, present } from "../../../lib/k8s/map";
import { closest } from "../../../lib/model/check/closest";
import { validateHpa } from "../../../lib/k8s/validate/validate-hpa";
import type { EntryDocument } from "../../../lib/model/ports/entries";
import { collect } from "../../shell/input/document-options";
import { failure } from "../../shell/failure";
import { addGlobalOptions } from "../../shell/global-options";
import { examples } from "../../shell/help";
import type { CliEnvironment } from "../../shell/environment";
import { finishImport, handOver } from "./finish-import";
import {
  type ImportContext,
  type ImportOptions,
  addImportOptions,
  importedAnnotations,
  withImportContext,
  kubectlFor,
} from "./import-context";
import { isOfKeda } from "./keda/left-over";
import { isOfKubeconfig, readCluster, readObjects } from "./read-cluster";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The entry is without the API server's metadata. Its status shows if a zero is the HPA's own. `invalid`: why it is no
 * valid new entry.
 */
export type ImportedHpa =
  | { readonly document: EntryDocument; readonly warnings: readonly string[]; readonly invalid?: string }
  /** The reason. */
  | { readonly refused: string };

export function importedHpa(object: ListedObject, annotations: Readonly<Record<string, string>>): ImportedHpa {
  const { hpa: valid, errors } = validateHpa(object, { served: true });
  const invalid = valid === undefined ? `is not imported: ${errors.join("; ")}` : undefined;
  const hpa = valid ?? decodeStored(object, "known");
  if (hpa === undefined) return { refused: invalid ?? "" };
  const owner = ownerOf(object);
  if (owner?.kind === "ScaledObject" && isOfKeda(owner)) {
    return {
      refused: `is not imported: it belongs to KEDA's ScaledObject ${owner.name}; import that with \`ebb import keda\``,
    };
  }
  const { name, namespace, labels, annotations: own = {} } = hpa.metadata;
  const { [lastApplied]: _lastApplied, ...kept } = own;
  const all = { ...kept, ...annotations };
  const metadata = {
    name,
    namespace,
    ...present({ labels }),
    ...(Object.keys(all).length > 0 && { annotations: all }),
  };
  const { apiVersion, kind, spec, status } = hpa;
  return {
    document: { apiVersion, kind, metadata, spec, ...present({ status }) },
    ...present({ invalid }),
    warnings:
      owner === undefined ? [] : [`belongs to ${owner.kind} ${owner.name}, which creates it again after you delete it`],
  };
}

interface Owner {
  readonly apiVersion: unknown;
  readonly kind: string;
  readonly name: string;
}

function ownerOf({ metadata }: ListedObject): Owner | undefined {
  const references = metadata["ownerReferences"];
  const owner: unknown = Array.isArray(references) ? references.find(isMap) : undefined;
  if (!isMap(owner)) return undefined;
  const { apiVersion, kind, name } = owner;
  return { apiVersion, kind: String(kind), name: String(name) };
}

export function importHpaCommand(environment: CliEnvironment): Command {
  const command = new Command("hpa")
    .description("Read a cluster's HorizontalPodAutoscalers and print them as entries, or apply them.")
    .argument("[NAME...]", "only these HPAs")
    .addHelpText(
      "after",
      examples([
        ["The HPAs of a file", "kubectl get hpa -o yaml | ebb import hpa -f -"],
        ["Print the HPAs of a namespace of a registered cluster", "ebb import hpa -n shop --cluster prod"],
        [
          "All HPAs of a cluster that kubectl reaches, into a file that you read before you apply it",
          "ebb import hpa -A --kube-context prod > hpas.yaml",
        ],
        [
          "Take them over: decide, but do not scale yet",
          "ebb import hpa -n shop --cluster prod --apply --dry-run-first",
        ],
      ]),
    );
  return addGlobalOptions(addImportOptions(command))
    .option(
      "-f, --filename <path>",
      "the HPAs of this file or folder instead of a cluster's; - for standard input",
      collect,
    )
    .action((names: readonly string[], options: ImportOptions, self: Command) => {
      const { filename } = options;
      if (filename !== undefined && (isOfKubeconfig(options) || options.allNamespaces === true))
        throw failure("-A, --kubeconfig and --kube-context read a cluster: leave them out, or -f");
      const needsTable = options.apply === true || (filename === undefined && !isOfKubeconfig(options));
      return withImportContext(environment, { command: self, needsTable }, async (context) => {
        const given =
          filename === undefined
            ? await fromCluster(options, context)
            : { ...(await fromFiles(filename, environment.stdin, context)), cluster: context.settings.cluster };
        return await importHpas(names, given, { options, context });
      });
    });
}

async function fromCluster(options: ImportOptions, context: ImportContext): Promise<GivenHpas> {
  const { out, settings, signal } = context;
  const namespace = options.allNamespaces === true ? undefined : settings.namespace;
  return await out.during(
    "reading the cluster's autoscalers",
    readCluster(options, context, async (target, cluster) => ({
      objects: await listHpas(target, namespace, signal),
      cluster,
    })),
  );
}

/** Documents without a namespace get the command line's. */
async function fromFiles(
  files: readonly string[],
  stdin: CliEnvironment["stdin"],
  { out, settings }: ImportContext,
): Promise<Omit<GivenHpas, "cluster">> {
  const given = await readObjects(files, { stdin, kind: "HorizontalPodAutoscaler" });
  const problems = [...given.problems];
  const objects = given.objects.flatMap(({ place, object }) => {
    const { kind, metadata } = object;
    if (kind !== "HorizontalPodAutoscaler") {
      out.warn(`${place}: ${typeof kind === "string" ? kind : "an object without a kind"} is left out: it is no HPA`);
      return [];
    }
    if (!isMap(metadata) || typeof metadata["name"] !== "string") {
      problems.push(`${place}: metadata.name: expected the HPA's name`);
      return [];
    }
    const { namespace = settings.namespace, name } = metadata;
    return [{ ...object, metadata: { ...metadata, name, namespace } }];
  });
  return { objects, problems };
}

interface GivenHpas {
  readonly objects: readonly ListedObject[];
  readonly problems?: readonly string[];
  readonly cluster: string | undefined;
}

async function importHpas(
  names: readonly string[],
  { objects, cluster, problems = [] }: GivenHpas,
  { options, context }: { readonly options: ImportOptions; readonly context: ImportContext },
): Promise<number> {
  const { out, settings } = context;
  if (objects.length === 0 && problems.length > 0) throw failure(problems.join("\n"));
  for (const problem of problems) out.warn(problem);
  const wanted = objects.filter(({ metadata }) => names.length === 0 || names.includes(metadata.name));
  const missing = names.filter((name) => !wanted.some(({ metadata }) => metadata.name === name));
  const known = objects.map(({ metadata }) => metadata.name);
  for (const name of missing) {
    out.note(`Error from server (NotFound): horizontalpodautoscalers.autoscaling "${name}" not found`);
    const meant = /\.(ya?ml|json)$/.test(name) ? `-f ${name}` : closest(name, known);
    if (meant !== undefined) out.note(`did you mean ${meant}?`);
  }
  if (wanted.length === 0 && missing.length === 0) {
    out.note(
      options.allNamespaces === true || options.filename !== undefined
        ? "No resources found"
        : `No resources found in ${settings.namespace} namespace.`,
    );
    return 0;
  }
  const annotations = importedAnnotations(cluster, options);
  let refused = missing.length + problems.length;
  const imported = wanted.flatMap((object) => {
    const place = `horizontalpodautoscaler.autoscaling/${object.metadata.name}`;
    const result = importedHpa(object, annotations);
    // An applied document may replace an entry that has the same mistake.
    const problem = "refused" in result ? result.refused : options.apply === true ? undefined : result.invalid;
    if (problem !== undefined || "refused" in result) {
      refused += 1;
      out.warn(`${place} ${problem}`);
      return [];
    }
    for (const warning of result.warnings) out.warn(`${place} ${warning}`);
    return [{ document: result.document, place }];
  });
  const kubectl = kubectlFor(options, cluster);
  const namespace = options.allNamespaces === true ? "NAMESPACE" : settings.namespace;
  const { code } = await finishImport(imported, { apply: options.apply === true, context });
  if (imported.length > 0)
    out.warn(
      "two controllers that scale one target undo each other's work: stop the cluster's own controller for each of these HPAs.",
      ...handOver(options, {
        compare: `ebb explain hpa NAME, ${kubectl} describe hpa NAME -n ${namespace}`,
        stop: `${kubectl} delete hpa NAME -n ${namespace}: the workload keeps its size`,
      }),
      "ebb cannot read that controller's history: it starts with the current size as its first recommendation, as the controller does after a restart.",
    );
  return refused > 0 ? 1 : code;
}

/** Versions with every field, newest first. v1 has the newer fields as annotations. */
const versions = ["v2", "v2beta2", "v1"];

async function listHpas(
  cluster: TargetCluster,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly ListedObject[]> {
  const [group, resource, kind] = ["autoscaling", "horizontalpodautoscalers", "HorizontalPodAutoscaler"];
  const served = await cluster.discovery.versions(group, signal);
  const version = versions.find((known) => served.includes(known));
  if (version === undefined)
    throw failure(
      `the cluster serves no version of autoscaling that ebb knows: expected one of ${versions.join(", ")}`,
    );
  return cluster.listObjects({ group, version, resource, kind, ...present({ namespace }) }, signal);
}
