import type { AwsAccess } from "../aws/access";
import type { SqsClient } from "../aws/http/sqs-commands";
import type { KnownSource, MetricSource, SourceReader, ReadContext } from "../model/ports/sources";
import type { SourceNetwork } from "./network/network";
import type { EpochMs } from "../k8s/time";
import { errorText } from "../model/fault";

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

/** Loads a source's code with its first query, so a start pays only for the kinds in use. */
export function loadKindLazily(
  load: () => Promise<MetricSource>,
  keepMs: MetricSource["keepMs"] = () => 0,
): MetricSource {
  let loaded: Promise<MetricSource> | undefined;

  async function open(context: ReadContext): Promise<SourceReader> {
    loaded ??= load();
    try {
      return (await loaded).open(context);
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  }

  return {
    keepMs,
    open(context) {
      let reader: Promise<SourceReader> | undefined;
      return {
        async read(query) {
          try {
            return await (await (reader ??= open(context))).read(query);
          } catch (error) {
            return { error: `the code of this source cannot be loaded: ${errorText(error)}`, from: query.metricName };
          }
        },
      };
    },
  };
}
