import type { AwsAccess } from "../aws/access";
import type { SqsClient } from "../aws/json/sqs-commands";
import type { KnownSource, MetricSource } from "../model/ports/sources";
import type { SourceNetwork } from "./network/network";

/** The client of a region; without one, of the default region (AWS_REGION, the profile's). */
export interface MetricClients {
  readonly sqs: (region?: string) => SqsClient;
  /** Its clients are the SDK's, and load with the first query. */
  readonly cloudwatch: AwsAccess;
}

/** How the sources reach their servers. */
export interface SourceDeps extends MetricClients {
  /** For hosts that entries name. */
  readonly network: SourceNetwork;
}

/** A kind of metric source, as a function needs it. Everything else about it is in its description (description.ts). */
export interface SourceKind {
  /** As `spec.kind` of an entry names it. */
  readonly name: string;
  /** Whether an External metric of this name is read from here when no entry has its name. */
  readonly isBuiltIn: boolean;
  /**
   * For how long after a change a query's value may be wrong, in ms. Zero is then confirmed for as long (the default of
   * `confirm`). Absent, or 0: it is exact.
   */
  readonly settleMs?: NonNullable<KnownSource["settleMs"]>;
  /** What a query is made of, for a kind that is calculated from other sources. Throws a Fault "badEntry". */
  readonly operands?: NonNullable<KnownSource["operands"]>;
  /** What a query with these parameters needs from its cluster. */
  readonly rights?: NonNullable<KnownSource["rights"]>;
  open(deps: SourceDeps): MetricSource;
}
