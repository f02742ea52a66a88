import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { ParameterFields } from "./fields/field";
import type { MetricSource, SourceQuery } from "../model/ports";

/** The client of a region; without one, of the default region (AWS_REGION, the profile's). */
export interface MetricClients {
  readonly sqs: (region?: string) => SQSClient;
  readonly cloudwatch: (region?: string) => CloudWatchClient;
}

/** A kind of metric source, as a function needs it. Its help is in its description (description.ts). */
export interface SourceKind {
  /** As `spec.kind` of an entry names it. */
  readonly name: string;
  /** Whether an External metric of this name is read from here when no entry has its name. */
  readonly isBuiltIn: boolean;
  readonly fields: ParameterFields;
  /** What a query asks for. Throws a Fault "badEntry" that names the parameter. */
  parse(query: SourceQuery): object;
  open(clients: MetricClients): MetricSource;
}
