import type { AwsAccess } from "../aws/access";
import type { SqsClient } from "../aws/json/sqs-commands";
import type { KnownSource, MetricSource } from "../model/ports/sources";
import type { SourceNetwork } from "./network/network";
import type { EpochMs } from "../k8s/time";

export interface SourceOptions {
  /** For the limiters; by default the machine's clock. */
  readonly now?: () => EpochMs;
  readonly limitMs?: number;
}

/** Without a region: AWS_REGION, or the profile's. */
export interface MetricClients {
  readonly sqs: (region?: string) => SqsClient;
  readonly cloudwatch: AwsAccess;
}

export interface SourceDeps extends MetricClients {
  /** For hosts that entries name. */
  readonly network: SourceNetwork;
}

export interface SourceKind {
  readonly name: string;
  /** True if an External metric of this name needs no entry: labels can hold all of its parameters. */
  readonly isBuiltIn: boolean;
  /** A value may be wrong for so many ms after a change; zero is confirmed for as long. Absent or 0: exact. */
  readonly settleMs?: NonNullable<KnownSource["settleMs"]>;
  /** @throws Fault "badEntry". */
  readonly operands?: NonNullable<KnownSource["operands"]>;
  readonly rights?: NonNullable<KnownSource["rights"]>;
  open(deps: SourceDeps): MetricSource;
}
