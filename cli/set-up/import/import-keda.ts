import { Command } from "commander";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import { addFilenameOption } from "../../shell/input/document-options";
import { examples } from "../../shell/help";
import { failure } from "../../shell/failure";
import { addGlobalOptions } from "../../shell/global-options";
import type { CliEnvironment } from "../../shell/environment";
import { finishImport, type Imported, handOver } from "./finish-import";
import {
  type ImportContext,
  importedAnnotations,
  withImportContext,
  addImportOptions,
  type ImportOptions,
  kubectlFor,
} from "./import-context";
import { authenticationsIn } from "./keda/authentication";
import {
  type Fields,
  noteLines,
  type ConversionResult,
  conversionOf,
  conversionsText,
  settingText,
  whyLeftOut,
} from "./keda/left-over";
import { scaledObjectProblems } from "./keda/problems";
import { sharedTargetProblems } from "./keda/spec-problems";
import { convertScaledObject } from "./keda/convert-scaled-object";
import { isMap } from "../../../lib/k8s/map";
import { isFault } from "../../../lib/model/fault";
import { isOfKubeconfig, readCluster, readObjects } from "./read-cluster";

export function importKedaCommand(environment: CliEnvironment): Command {
  const command = new Command("keda")
    .description("Convert KEDA's ScaledObjects to HPAs and metric sources, and list what ebb cannot carry over.")
    .argument("[FILE...]", "files or folders with ScaledObjects, - for standard input; default: those of the cluster")
    .addHelpText(
      "after",
      examples([
        ["Print the entries, with comments on what is not carried over", "ebb import keda scaledobjects.yaml"],
        ["Print the entries for a namespace of a registered cluster", "ebb import keda -n shop --cluster prod"],
        [
          "Take them over: decide, but do not scale yet",
          "ebb import keda scaledobjects.yaml --cluster prod --apply --dry-run-first",
        ],
      ]),
    );
  return addGlobalOptions(addImportOptions(addFilenameOption(command))).action(
    (named: readonly string[], options: ImportOptions, self: Command) => {
      const files = [...named, ...(options.filename ?? [])];
      const isOfCluster = files.length === 0;
      if (!isOfCluster && (isOfKubeconfig(options) || options.allNamespaces === true))
        throw failure("-A, --kubeconfig and --kube-context read a cluster: leave them out, or the files");
      const needsTable = options.apply === true || (isOfCluster && !isOfKubeconfig(options));
      const { stdin } = environment;
      return withImportContext(environment, { command: self, needsTable }, async (context) => {
        const given = isOfCluster
          ? await fromCluster(options, context)
          : { ...(await fromFiles(files, stdin)), cluster: context.settings.cluster };
        return importObjects({ authentications: given.objects, problems: [], ...given }, options, context);
      });
    },
  );
}

async function fromFiles(files: readonly string[], stdin: CliEnvironment["stdin"]) {
  const { objects, problems } = await readObjects(files, { stdin, kind: "ScaledObject" });
  return { objects: objects.map(({ object }): Fields => object), problems };
}

async function fromCluster(options: ImportOptions, context: ImportContext) {
  const { settings, signal, out } = context;
  const namespace = options.allNamespaces === true ? {} : { namespace: settings.namespace };
  const list = (target: TargetCluster, resource: string, kind: string, within: object = namespace) =>
    target.listObjects({ group: "keda.sh", version: "v1alpha1", resource, kind, ...within }, signal);
  // Without permission to read it, notes name only the authentication.
  const listed = async (target: TargetCluster, resource: string, kind: string, within?: object) => {
    const objects = await list(target, resource, kind, within).catch((error: unknown) => {
      if (isFault(error, "forbidden") || isFault(error, "notFound")) return [];
      throw error;
    });
    return objects.map((object): Fields => ({ ...object, kind }));
  };
  return out.during(
    "reading the cluster's ScaledObjects",
    readCluster(options, context, async (target, cluster) => {
      if ((await target.discovery.versions("keda.sh", signal)).length === 0)
        throw failure("the cluster does not serve keda.sh: KEDA is not installed");
      const objects = await list(target, "scaledobjects", "ScaledObject");
      const jobs = await list(target, "scaledjobs", "ScaledJob");
      const authentications = [
        ...(await listed(target, "triggerauthentications", "TriggerAuthentication")),
        ...(await listed(target, "clustertriggerauthentications", "ClusterTriggerAuthentication", {})),
      ];
      return { objects: [...objects, ...jobs], authentications, cluster };
    }),
  );
}

interface Given {
  readonly objects: readonly Fields[];
  readonly authentications: readonly Fields[];
  readonly problems: readonly string[];
  readonly cluster: string | undefined;
}

async function importObjects(given: Given, options: ImportOptions, context: ImportContext): Promise<number> {
  const { out, settings } = context;
  const { objects, cluster, problems: unreadable } = given;
  const annotations = importedAnnotations(cluster, options);
  const conversion = {
    annotations,
    namespace: settings.namespace,
    authentications: authenticationsIn(given.authentications, settings.namespace),
  };
  const imported: Imported[] = [];
  const targets = new Map<string, string>();
  for (const problem of unreadable) out.warn(problem);
  const outcomes = new Map<string, ConversionResult>(unreadable.map((problem) => [problem, "refused"]));
  for (const object of objects) {
    const kind = settingText(object["kind"]);
    if (kind === undefined) {
      out.warn("an object without a kind is left out: it is not a ScaledObject");
      continue;
    }
    const { name, namespace = settings.namespace } = isMap(object["metadata"]) ? object["metadata"] : {};
    const place = `${kind} ${settingText(namespace)}/${settingText(name) ?? ""}`;
    const leftOut = whyLeftOut(object);
    if (kind !== "ScaledObject" || leftOut !== undefined) {
      out.warn(`${place} ${leftOut ?? "is left out: it is not a ScaledObject"}`);
      continue;
    }
    const refusals = scaledObjectProblems(object);
    const problems = refusals.length > 0 ? refusals : sharedTargetProblems({ object, place }, targets, settings);
    if (problems.length > 0) {
      for (const problem of problems) out.warn(`${place}: ${problem}`);
      outcomes.set(place, "refused");
      continue;
    }
    const { documents, notes, ...words } = convertScaledObject(object, conversion);
    const said = noteLines(notes);
    for (const line of said) out.warn(`${place}: ${line}`);
    outcomes.set(place, conversionOf(notes));
    const [hpa, ...sources] = documents;
    if (hpa !== undefined) imported.push({ document: hpa, place, comments: [`From ${place}.`, ...said], ...words });
    imported.push(...sources.map((document) => ({ document, place, ...words })));
  }
  if (imported.length === 0) {
    out.note(outcomes.size === 0 ? "No ScaledObjects found." : conversionsText([...outcomes.values()]));
    return objects.length === 0 && unreadable.length === 0 ? 0 : 1;
  }
  const { code, refused } = await finishImport(imported, { apply: options.apply === true, context });
  for (const place of refused) outcomes.set(place, "refused");
  const kubectl = kubectlFor(options, cluster);
  const stop = `${kubectl} annotate scaledobject NAME autoscaling.keda.sh/paused=true, then ${kubectl} delete scaledobject NAME: its HPA goes with it`;
  out.warn(
    "if KEDA and ebb scale one target, they undo each other's work: stop KEDA for each of these ScaledObjects.",
    ...handOver(options, { compare: "ebb explain hpa NAME", stop }),
  );
  out.note(conversionsText([...outcomes.values()]));
  return [...outcomes.values()].includes("refused") ? 1 : code;
}
