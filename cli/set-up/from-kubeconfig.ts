import { readFileSync } from "node:fs";
import type { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { present } from "../../lib/k8s/map";
import type { ClusterAuth } from "../../lib/model/entry/entries";
import { problemText } from "../../lib/model/check/problem";
import { validateCluster } from "../../lib/model/entry/validate-entry";
import { kubeconfigProblem, parseKubeconfig } from "../../lib/cluster/auth/kubeconfig-text";
import { errorText } from "../../lib/model/fault";
import { failure } from "../shell/failure";
import type { Starter } from "./cluster-file";
import { eksRegion, eksUserOf, type ExecOf } from "./eks-user";

export interface GivenCluster {
  readonly cluster?: string;
  readonly namespace: string;
  readonly eks?: string;
  readonly region?: string;
  readonly roleArn?: string;
}

/** The user fills in the endpoint, at least. @throws Failure */
export function starterFromOptions({ cluster, namespace, eks, region, roleArn }: GivenCluster): Starter {
  if (eks === undefined) {
    refuseOfEks({ region, roleArn }, "give --eks NAME, too, or --from-kubeconfig");
    const name = cluster ?? "prod";
    return {
      cluster: name,
      namespace,
      spec: { endpoint: "https://replace-me.example.com:6443", auth: { type: "token", secret: `ebb/${name}` } },
      open: ["endpoint", "certificateAuthorityData", "auth"],
    };
  }
  if (region === undefined) throw failure("--eks needs --region, the region of the EKS cluster");
  return {
    cluster: cluster ?? eks,
    namespace,
    spec: {
      endpoint: `https://REPLACE-ME.gr7.${region}.eks.amazonaws.com`,
      auth: { type: "eks", clusterName: eks, region, ...present({ roleArn }) },
    },
    open: ["endpoint", "certificateAuthorityData"],
  };
}

type Cluster = NonNullable<ReturnType<KubeConfig["getCurrentCluster"]>>;
type User = ReturnType<KubeConfig["getCurrentUser"]>;

export interface FromKubeconfig extends GivenCluster {
  readonly files: readonly string[];
  readonly file?: string;
  readonly context?: string;
}

/**
 * An EKS user becomes eks auth, any other user the name of a secret that you create.
 *
 * @throws Failure when the file is unreadable, or needs something that ebb does not support
 */
export async function starterFromKubeconfig(given: FromKubeconfig): Promise<Starter> {
  const config = await load(given.files);
  const context = given.context ?? config.getCurrentContext() ?? "";
  if (config.getContextObject(context) === null) {
    const there = config.getContexts().map(({ name }) => name);
    throw failure(
      `${given.files.join(", ")}: no context ${JSON.stringify(context)}; ${there.length === 0 ? "it has no contexts" : `it has ${there.join(", ")}`}`,
    );
  }
  config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw failure(`${given.files.join(", ")}: context ${context} names a cluster that the kubeconfig does not have`);
  const auth = authOf(config.getCurrentUser(), { ...given, cluster: given.cluster ?? nameOf(context) }, cluster);
  const certificateAuthorityData = authorityOf(cluster);
  const spec = {
    endpoint: cluster.server,
    ...present({ certificateAuthorityData, tlsServerName: cluster.tlsServerName }),
    auth,
  };
  const [problem] = [
    ...(cluster.skipTLSVerify ? ["insecure-skip-tls-verify is not supported"] : []),
    ...((cluster.proxyUrl ?? "") === "" ? [] : ["proxy-url is not supported"]),
    ...validateCluster(spec).map(problemText),
  ];
  if (problem !== undefined) throw failure(`${given.files.join(", ")}: context ${context}: ${problem}`);
  return {
    cluster: given.cluster ?? (auth.type === "eks" ? auth.clusterName : nameOf(context)),
    namespace: given.namespace,
    spec,
    kube: { context, ...present({ file: given.file }) },
    open: auth.type === "eks" ? [] : ["auth"],
    hints: hintsOf(cluster, auth),
  };
}

/** Imported lazily: it is larger than the rest of the command. */
async function load(files: readonly string[]): Promise<KubeConfig> {
  const { KubeConfig } = await import("../../lib/cluster/auth/kubeconfig-auth");
  const [first, ...others] = files.map((file) => {
    const config = new KubeConfig();
    try {
      parseKubeconfig(readFileSync(file, "utf8"));
    } catch (error) {
      throw failure(`${file}: expected a kubeconfig: ${errorText(error)}`);
    }
    try {
      config.loadFromFile(file);
    } catch (error) {
      throw failure(`${file}: expected a kubeconfig: ${kubeconfigProblem(error)}`);
    }
    return config;
  });
  if (first === undefined) throw failure("expected a kubeconfig, got no file");
  for (const other of others) first.mergeConfig(other, true);
  return first;
}

function authorityOf({ caData, caFile }: Cluster): string | undefined {
  if (caData !== undefined || caFile === undefined) return caData;
  try {
    return readFileSync(caFile).toString("base64");
  } catch (error) {
    throw failure(`certificate-authority: ${(error as Error).message}`);
  }
}

/** Warnings that else only the first sync would give. */
function hintsOf({ server }: Cluster, auth: ClusterAuth): readonly string[] {
  const { hostname } = new URL(server);
  const hints: string[] = [];
  if (auth.type !== "eks" && eksRegion(server) !== undefined)
    hints.push(`the endpoint ${hostname} looks like EKS: give --eks NAME, and ebb needs no secret`);
  if (/^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(hostname))
    hints.push(
      `the endpoint ${hostname} is this machine: no function reaches it; set spec.endpoint to an address that they reach, or use \`ebb start --kubeconfig\` here`,
    );
  return hints;
}

function authOf(user: User, given: GivenCluster & { readonly cluster: string }, { server }: Cluster): ClusterAuth {
  const eks = eksUserOf(user?.exec as ExecOf | undefined, server);
  const clusterName = given.eks ?? eks?.clusterName;
  if (clusterName !== undefined) {
    const region = given.region ?? eks?.region ?? eksRegion(server);
    if (region === undefined) throw failure("the kubeconfig does not say the EKS cluster's region: give --region");
    return { type: "eks", clusterName, region, ...present({ roleArn: given.roleArn ?? eks?.roleArn }) };
  }
  refuseOfEks(given, "the kubeconfig's user is not of EKS: give --eks NAME, too");
  const secret = `ebb/${given.cluster}`;
  const hasCertificate = user?.certData !== undefined || user?.certFile !== undefined;
  return hasCertificate ? { type: "clientCertificate", secret } : { type: "token", secret };
}

function refuseOfEks(
  { region, roleArn }: { readonly [Option in "region" | "roleArn"]?: string | undefined },
  todo: string,
): void {
  const given = [region !== undefined && "--region", roleArn !== undefined && "--role-arn"].filter(Boolean);
  if (given.length > 0) throw failure(`${given.join(" and ")}: only an EKS cluster has this: ${todo}`);
}

/** A secret's name allows only these characters. */
function nameOf(context: string): string {
  return context.replace(/^arn:.*\//, "").replaceAll(/[^\w+=.@-]/g, "-") || "cluster";
}
