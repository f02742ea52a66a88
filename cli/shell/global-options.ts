import { type Command, Option } from "commander";
import { failure } from "./failure";

export interface GlobalOptions {
  readonly context?: string;
  readonly table?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly directory?: string;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly color?: Colour;
}

export type Colour = "auto" | "always" | "never";

const options = [
  new Option("--context <name>", "the context of the config file to use (EBB_CONTEXT)"),
  new Option("--table <name>", "the DynamoDB table (EBB_TABLE); without one, the table of --directory"),
  new Option("--region <region>", "the AWS region of the table (EBB_REGION, AWS_REGION, AWS_DEFAULT_REGION)"),
  new Option("--profile <name>", "the AWS profile with the credentials (EBB_PROFILE, AWS_PROFILE)"),
  new Option("--directory <dir>", "where `ebb start` keeps its table (default: in .ebb)"),
  new Option("--cluster <name>", "the cluster (EBB_CLUSTER); default: the table's only one"),
  new Option("-n, --namespace <namespace>", "the namespace (EBB_NAMESPACE; default: default)"),
  new Option("--color <when>", "colours: auto, always or never (NO_COLOR)").choices(["auto", "always", "never"]),
].map((option) => option.helpGroup("Global options:"));

export function addGlobalOptions(command: Command): Command {
  for (const option of options) command.addOption(option);
  return command;
}

/** @throws Failure when the two differ */
export function refuseSecondCluster(named: string | undefined, { cluster }: GlobalOptions): void {
  if (named === undefined || cluster === undefined || named === cluster) return;
  throw failure(`there are two clusters, ${named} and --cluster ${cluster}: leave one of them out`);
}

/** The last one wins: options may precede the verb. */
export function globalOptions(command: Command): GlobalOptions {
  const before = command.parent === null ? {} : globalOptions(command.parent);
  return { ...before, ...command.opts<GlobalOptions>() };
}
