import { homedir } from "node:os";
import { join } from "node:path";
import type { ClusterEntry } from "../../lib/model/entry/entries";
import type { TargetCluster } from "../../lib/cluster/cluster";
import { decodeCluster } from "../../lib/table/items/resource-items";
import { serverFailure } from "../failure";
import { reachFrom } from "../connect/reach";
import type { ImportContext, ImportOptions } from "./import-context";

/** Whether to read a kubeconfig of this machine instead of a registered cluster. */
export function isOfKubeconfig({ kubeconfig, kubeContext }: ImportOptions): boolean {
  return kubeconfig !== undefined || kubeContext !== undefined;
}

/**
 * Reads from the cluster that the options name: of a kubeconfig, or registered in the table and reached as its entry
 * says. `name` is the cluster's name in the table, if known. Rejects with a Fault or a Failure.
 */
export async function readCluster<T>(
  options: ImportOptions,
  context: ImportContext,
  read: (cluster: TargetCluster, name: string | undefined) => Promise<T>,
): Promise<T> {
  const { settings, signal, now } = context;
  const entry = isOfKubeconfig(options) ? ofKubeconfig(options, context) : await registered(context);
  const { auth } = entry.spec;
  const given = isOfKubeconfig(options) && "file" in auth ? [auth.file] : settings.kubeconfigs;
  const { clusters, close } = await reachFrom({ ...settings, kubeconfigs: given }, now);
  try {
    return await read(await clusters.connect(entry, signal), isOfKubeconfig(options) ? settings.cluster : entry.name);
  } finally {
    close();
  }
}

function ofKubeconfig({ kubeconfig, kubeContext }: ImportOptions, { env }: ImportContext): ClusterEntry {
  const file = kubeconfig ?? (env["KUBECONFIG"] || join(env["HOME"] ?? homedir(), ".kube", "config"));
  const context = kubeContext === undefined ? {} : { context: kubeContext };
  return { name: file, spec: { auth: { type: "kubeconfig", file, ...context } } };
}

async function registered({ session, signal }: ImportContext): Promise<ClusterEntry> {
  if (session === undefined) throw new Error("reading a registered cluster needs a session");
  const name = await session.cluster();
  const stored = await session.entries.get({ kind: "Cluster", cluster: name, name }, signal);
  if (stored === undefined) throw serverFailure("NotFound", `clusters.ebb.dev "${name}" not found`);
  const decoded = decodeCluster(stored.item);
  if ("invalid" in decoded) throw serverFailure("Invalid", `clusters.ebb.dev "${name}" is invalid: ${decoded.invalid}`);
  return decoded.value;
}
