import { CreateTableCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { tableDefinition } from "../../../lib/table/items/keys";
import { canariesIn } from "../../canaries/canary";
import type { ApiServer } from "./api-server";
import type { AwsClients } from "./aws";
import type { Emulator } from "./emulator";
import { ebbSecret, putCluster, type EntryTable } from "./entries";
import { startEventPlatform } from "./event-platform";
import { startFunction, type LogLine } from "./functions";

export interface RunningEbb {
  readonly entries: EntryTable;
  /** Of the slots and wakes. */
  readonly queueUrl: string;
  /** What the sync functions logged so far. */
  lines(): readonly LogLine[];
  /** No more events from now on; rejects when an invocation failed. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  readonly syncPeriodSeconds: number;
  readonly deliveries?: number;
  readonly prepare?: (entries: EntryTable) => Promise<void>;
}

/**
 * The packaged functions on an emulator's table and queue, with one cluster, which they act on as the user "ebb".
 * @param options deliveries: how many sync functions get each message, all at the same moment; prepare: runs when the
 * table is there, before the functions start
 */
export async function startEbb(
  { emulator, aws }: { readonly emulator: Emulator; readonly aws: AwsClients },
  apiServer: ApiServer,
  { syncPeriodSeconds, deliveries = 1, prepare = () => Promise.resolve() }: Options,
): Promise<RunningEbb> {
  const entries = { dynamo: aws.dynamo, table: "ebb-e2e", cluster: "e2e" };
  const secret = "ebb/e2e";
  await aws.dynamo.send(new CreateTableCommand(tableDefinition(entries.table)));
  await aws.secrets.send(new CreateSecretCommand({ Name: secret, SecretString: ebbSecret(apiServer) }));
  const { QueueUrl: queueUrl = "" } = await aws.sqs.send(new CreateQueueCommand({ QueueName: "ebb-e2e-slots" }));
  await putCluster(entries, apiServer, { secret, syncPeriodSeconds });
  await prepare(entries);

  const env = {
    ...emulator.env,
    TABLE_NAME: entries.table,
    QUEUE_URL: queueUrl,
    POWERTOOLS_METRICS_NAMESPACE: "ebb",
    ALLOWED_HOSTS: new URL(apiServer.endpoint).hostname,
  };
  // Each has an access key of its own, so that a proxy can tell whose request it sees.
  const start = (name: "tick" | "sync") => startFunction(name, { ...env, AWS_ACCESS_KEY_ID: name });
  const tick = start("tick");
  const syncs = Array.from({ length: deliveries }, () => start("sync"));
  const platform = startEventPlatform({ tick, syncs, sqs: aws.sqs, queueUrl, region: emulator.region });
  return {
    entries,
    queueUrl,
    lines: () => syncs.flatMap(({ lines }) => lines),
    settle: () => platform.stop(),
    async stop() {
      try {
        await platform.stop();
        await requireNoSecrets(
          aws,
          entries.table,
          syncs.flatMap(({ lines }) => lines),
        );
      } finally {
        for (const one of [tick, ...syncs]) await one.stop();
      }
    },
  };
}

/** The token of the user "ebb" is a canary: what ebb logged, and what it wrote to the table, must not contain it. */
async function requireNoSecrets(aws: AwsClients, table: string, lines: readonly LogLine[]): Promise<void> {
  const { Items = [] } = await aws.dynamo.send(new ScanCommand({ TableName: table }));
  const found = canariesIn(JSON.stringify([lines, Items]));
  if (found.length > 0) throw new Error(`ebb wrote a secret: ${found.join("; ")}`);
}
