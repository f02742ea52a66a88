import { Command, Option } from "commander";
import type { Connections } from "../../compose";
import type { ClusterAuth, ClusterEntry } from "../../lib/model/entry/entries";
import type { TargetCluster } from "../../lib/cluster/cluster";
import { isFault } from "../../lib/model/fault";
import { escapeTerminal } from "../../lib/k8s/escape-terminal";
import { toJson } from "../shell/print/to-json";
import { toYaml } from "../shell/print/to-yaml";
import type { ShardContents } from "../../lib/model/ports/store";
import { type RequiredPermissions, requiredPermissionsOf } from "../../lib/read/required-permissions";
import { externalSource } from "../../lib/readings/read-sources";
import { unknownCluster } from "../shell/connect/choose-cluster";
import { connectionsFrom } from "../shell/connect/connections";
import { checkEntries } from "../understand/doctor/check-entries";
import { failure } from "../shell/failure";
import { addGlobalOptions, globalOptions, refuseSecondCluster } from "../shell/global-options";
import { examples } from "../shell/help";
import type { Output } from "../shell/output";
import { type Session, withSession } from "../shell/session";
import type { CliEnvironment } from "../shell/environment";
import { findResources, rightsByNamespace } from "./rbac-rules";
import {
  clusterWideManifests,
  type Manifest,
  namespacedManifests,
  type RbacSubject,
  subjectOf,
  usualGroup,
} from "./rbac-manifests";
import { isForwarded } from "../../lib/sources/descriptions";

interface Options {
  readonly clusterWide?: boolean;
  readonly lists?: boolean;
  readonly group?: string;
  readonly user?: string;
  readonly serviceAccount?: string;
  readonly name: string;
  readonly output: "yaml" | "json";
}

const notes = `
The rights are those that the HPAs in the table need now: to read and write the
scale of their targets' kinds, and to read the pods and the metrics that they
name, in their namespaces. After you add HPAs, run it again.
They are granted to ebb's user as the cluster names it: a service account, a
user, or the group ebb if the user is in it. For EKS, always to the group ebb.
With an option that names the subject, ebb asks the cluster only about kinds
that Kubernetes does not have itself.`;

export function rbacCommand(environment: CliEnvironment): Command {
  const command = new Command("rbac")
    .description("Print the Roles that a cluster must grant to ebb for its HPAs, and no more.")
    .argument("[cluster]", "the cluster; default: the table's only one")
    .option("--cluster-wide", "one ClusterRole for all namespaces, in place of a Role in each")
    .option("--lists", "also let ebb list the targets: one request instead of one for each of them, from 20 on")
    .addOption(new Option("--group <name>", "grant to this group").conflicts(["user", "serviceAccount"]))
    .addOption(new Option("--user <name>", "grant to this user").conflicts("serviceAccount"))
    .option("--service-account <namespace/name>", "grant to this service account")
    .option("--name <name>", "the name of the roles and bindings", "ebb")
    .addOption(new Option("-o, --output <format>", "yaml or json").choices(["yaml", "json"]).default("yaml"))
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples([
        ["Grant what the HPAs of a cluster need", "ebb rbac prod | kubectl apply -f -"],
        ["To a service account", "ebb rbac prod --service-account ebb/ebb"],
        ["The HPAs of one namespace alone", "ebb rbac prod -n shop"],
        ["In every namespace, including new ones", "ebb rbac prod --cluster-wide"],
        ["With the right to read many targets by one list", "ebb rbac prod --cluster-wide --lists"],
      ]),
    );
  command.action((cluster: string | undefined, options: Options, self: Command) =>
    withSession(environment, self, (session) => {
      refuseSecondCluster(cluster, globalOptions(self));
      return run(session, cluster, { options, ...globalOptions(self) });
    }),
  );
  return addGlobalOptions(command);
}

async function run(
  session: Session,
  named: string | undefined,
  { options, namespace }: { readonly options: Options; readonly namespace?: string },
): Promise<void> {
  const { settings, entries, store, out, signal, now } = session;
  const given = namedSubject(options);
  const cluster = named ?? (await session.cluster());
  const ref = { kind: "Cluster", cluster, name: cluster } as const;
  if ((await entries.get(ref, signal)) === undefined) throw await unknownCluster(cluster, session);
  const contents = await store.load({ cluster, from: "", to: null }, signal);
  const entry = contents.cluster;
  if ("invalid" in entry) throw failure(`cluster ${cluster}: ${entry.invalid}`);
  const connections = await connectionsFrom(settings, now);
  try {
    const required = permissionsOfCluster(out, connections, { entry: entry.value, contents, namespace });
    const connect = () => connections.clusters.connect(entry.value, signal);
    const asked = { ...findResources(connect, signal), lists: options.lists === true };
    const rights = await out.during("asking", rightsByNamespace(required, asked));
    if (rights.size === 0) return out.note(`Cluster ${cluster} has no HPAs yet, so there is nothing to grant.`);
    const subject = given ?? (await foundSubject(out, { connect, auth: entry.value.spec.auth }, signal));
    const manifests = (options.clusterWide ? clusterWideManifests : namespacedManifests)(rights, {
      name: options.name,
      subject,
    });
    const yaml = () => manifests.map((manifest) => toYaml(manifest, out)).join("---\n");
    out.write(options.output === "json" ? toJson(listOf(manifests), out) : yaml());
  } finally {
    connections.close();
  }
}

function permissionsOfCluster(
  out: Output,
  { sources }: Pick<Connections, "sources">,
  { entry, contents, namespace }: RbacScope,
): RequiredPermissions {
  const { findings, usable } = checkEntries(entry.name, { ...contents, brokenStates: {} }, namespace);
  for (const finding of findings) {
    if (finding.kind !== "fail") continue;
    const [what, why] = [finding.what, finding.why].map(escapeTerminal);
    out.warn(`${what}: no, ${why}; the rights that it needs are left out`);
  }
  const known = { entries: new Map(contents.sources.map((source) => [source.key, source])), sources };
  return requiredPermissionsOf(usable, {
    locate: (metric) => externalSource(metric, known),
    sources,
    isForwarded,
    mirrorsEvents: entry.spec.options?.mirrorEvents === true,
  });
}

interface RbacScope {
  readonly entry: ClusterEntry;
  readonly contents: ShardContents;
  readonly namespace: string | undefined;
}

/** Undefined: the options name none. @throws Failure */
function namedSubject({ group, user, serviceAccount }: Options): RbacSubject | undefined {
  if (serviceAccount !== undefined) {
    const [namespace, name, ...rest] = serviceAccount.split("/");
    if (!namespace || !name || rest.length > 0)
      throw failure(`--service-account: expected <namespace>/<name>, got "${serviceAccount}"`);
    return { kind: "ServiceAccount", name, namespace };
  }
  if (user !== undefined) return { apiGroup, kind: "User", name: user };
  return group === undefined ? undefined : { apiGroup, kind: "Group", name: group };
}

const apiGroup = "rbac.authorization.k8s.io" as const;

interface SubjectAccess {
  readonly connect: () => Promise<Pick<TargetCluster, "reviewSelf">>;
  readonly auth: ClusterAuth;
}

/** The usual group if the cluster cannot say. */
async function foundSubject(out: Output, { connect, auth }: SubjectAccess, signal: AbortSignal): Promise<RbacSubject> {
  const usual = { apiGroup, kind: "Group", name: usualGroup } as const;
  // An access entry has its own groups, and the caller's role may be another.
  if (auth.type === "eks") return usual;
  const known = async () => (await connect()).reviewSelf(signal);
  try {
    return subjectOf(await out.during("asking", known()));
  } catch (error) {
    if (!isFault(error)) throw error;
    out.note(`Granted to the group ${usualGroup}, as the cluster did not say who ebb is there: ${error.message}`);
    return usual;
  }
}

function listOf(items: readonly Manifest[]): object {
  return { apiVersion: "v1", items, kind: "List", metadata: {} };
}
