import type { ClusterAuth } from "../../lib/model/entry/entries";
import { present } from "../../lib/k8s/map";

export interface ExecOf {
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name?: string; readonly value?: string }[] | null;
}

export type EksUser = Partial<Omit<Extract<ClusterAuth, { type: "eks" }>, "type">>;

const authenticators = /(^|[\\/])(aws|heptio)-?(iam-)?authenticator(-aws)?(\.exe)?$/;

/**
 * The EKS cluster of a kubeconfig's user (`aws eks get-token`, aws-iam-authenticator). An Outpost's cluster has an ID
 * in place of a name. Undefined: another command.
 */
export function eksUserOf(exec: ExecOf | undefined, server: string): EksUser | undefined {
  const { command = "", env, args: given } = exec ?? {};
  // YAML reads an ID without quotes as a number.
  const args = (Array.isArray(given) ? given : []).map(String);
  const isAws = args.includes("eks") && args.includes("get-token");
  if (!isAws && !(authenticators.test(command) && args.includes("token"))) return undefined;
  const option = (...names: readonly string[]) => optionOf(args, names);
  const variable = (name: string) => env?.find((one) => one.name === name)?.value;
  return present({
    clusterName: isAws ? option("--cluster-name", "--cluster-id") : option("--cluster-id", "-i"),
    region: option("--region") ?? eksRegion(server) ?? variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION"),
    roleArn: isAws ? option("--role-arn") : option("--role", "-r"),
  });
}

/** Undefined: no endpoint of EKS. */
export function eksRegion(server: string): string | undefined {
  return /\.([a-z0-9-]+)\.eks\.amazonaws\./.exec(server)?.[1];
}

/** `--name value`, `--name=value` */
function optionOf(args: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    if (names.includes(arg)) return args[index + 1];
    const name = names.find((one) => arg.startsWith(`${one}=`));
    if (name !== undefined) return arg.slice(name.length + 1);
  }
  return undefined;
}
