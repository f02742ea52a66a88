import type { ClusterEntry } from "../../../lib/model/entry/entries";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { clusterIn } from "../../../lib/table/items/resource-items";
import { type Fault, isFault } from "../../../lib/model/fault";
import { type Failure, failure, serverFailure } from "../../shell/failure";
import { kubeconfigWith } from "../../shell/connect/kubeconfigs";
import { isOurs, connectionsFrom } from "../../shell/connect/connections";
import { requireFile, readInputs } from "../../shell/input/read-inputs";
import type { ImportContext, ImportOptions } from "./import-context";
import type { Readable } from "node:stream";
import { readDocuments } from "../../shell/input/read-documents";
import { isMap } from "../../../lib/k8s/map";

export function isOfKubeconfig({ kubeconfig, kubeContext }: ImportOptions): boolean {
  return kubeconfig !== undefined || kubeContext !== undefined;
}

/** From a kubeconfig, or through an entry; `name` is the entry's. Rejects with a Fault, or a Failure that advises. */
export async function readCluster<T>(
  options: ImportOptions,
  context: ImportContext,
  read: (cluster: TargetCluster, name: string | undefined) => Promise<T>,
): Promise<T> {
  const { settings, signal, now } = context;
  const isOfUser = isOfKubeconfig(options);
  const entry = isOfUser ? await ofKubeconfig(options, context) : await registered(context);
  const { auth } = entry.spec;
  const given = isOfUser && "file" in auth ? [auth.file] : settings.kubeconfigs;
  const { clusters, close } = await connectionsFrom({ ...settings, kubeconfigs: given }, now);
  try {
    return await read(await clusters.connect(entry, signal), isOfUser ? settings.cluster : entry.name);
  } catch (error) {
    throw isOfUser || !isOfCredential(error) ? error : withWayOut(error, entry);
  } finally {
    close();
  }
}

function isOfCredential(error: unknown): error is Fault {
  return isOurs(error) || isFault(error, "unauthorized") || isFault(error, "forbidden");
}

function withWayOut({ message, kind, status }: Fault, { name, spec: { auth } }: ClusterEntry): Failure {
  if ("file" in auth && kind === "forbidden" && status === undefined) {
    const context = auth.context === undefined ? "" : ` --kube-context ${auth.context}`;
    const text = `its entry names the kubeconfig ${auth.file}, and ebb opens none that only an entry names`;
    return failure(
      `cluster ${name}: ${escapeLine(`${text}: if you trust it, add --kubeconfig ${auth.file}${context}`)}`,
    );
  }
  const way = "add --kube-context NAME (a context of KUBECONFIG or ~/.kube/config; --kubeconfig FILE names another)";
  return failure(`cluster ${name}: ${escapeLine(message)}; to read it with your own credentials, ${way}`);
}

async function ofKubeconfig({ kubeconfig, kubeContext }: ImportOptions, { env }: ImportContext): Promise<ClusterEntry> {
  const file = kubeconfig ?? (await kubeconfigWith(kubeContext, env));
  await requireFile(file);
  const context = kubeContext === undefined ? {} : { context: kubeContext };
  return { name: file, spec: { auth: { type: "kubeconfig", file, ...context } } };
}

async function registered({ session, signal }: ImportContext): Promise<ClusterEntry> {
  if (session === undefined) throw new Error("reading a registered cluster needs a session");
  const name = await session.cluster();
  const stored = await session.entries.get({ kind: "Cluster", cluster: name, name }, signal);
  if (stored === undefined) throw serverFailure("NotFound", `clusters.ebb.dev "${name}" not found`);
  const decoded = clusterIn(stored);
  if ("invalid" in decoded) throw serverFailure("Invalid", `clusters.ebb.dev "${name}" is invalid: ${decoded.invalid}`);
  return decoded.value;
}

interface GivenObject {
  readonly place: string;
  readonly object: Readonly<Record<string, unknown>>;
}

export interface GivenObjects {
  readonly objects: readonly GivenObject[];
  /** The files that cannot be read, and the documents that are no object, each with its place. */
  readonly problems: readonly string[];
}

/** An object of another kind than this one may have a key twice. */
export async function readObjects(
  files: readonly string[],
  { stdin, kind }: { readonly stdin: Readable; readonly kind: string },
): Promise<GivenObjects> {
  const problems: string[] = [];
  const inputs = await readInputs(files, { stdin, leaveOut: (why) => problems.push(why) });
  const read = inputs.flatMap(({ name, text }) => readDocuments(text).map((document) => ({ name, document })));
  const given = read.map(({ name, document }): GivenObject | string => {
    const place = `${name}:${document.line}:${document.column}`;
    if (!("error" in document))
      return isMap(document.value) ? { place, object: document.value } : `${place}: expected a ${kind} object`;
    const { about } = document;
    const isOther = isMap(about) && typeof about["kind"] === "string" && about["kind"] !== kind;
    return isOther ? { place, object: about } : `${place}: ${document.error}`;
  });
  return {
    objects: given.filter((one) => typeof one !== "string"),
    problems: [...problems, ...given.filter((one) => typeof one === "string")],
  };
}
