import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { CreateTableCommand, UpdateContinuousBackupsCommand, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { encodeQueueMessage, type QueueMessage } from "../../../lib/model/messages";
import { expiresAtAttribute, tableDefinition } from "../../../lib/table/items/keys";
import { buildCommand } from "../../how-to/build-command";
import { runScript } from "../../how-to/run-script";
import { startApiServer, type ApiServer } from "../servers/api-server";
import { awsClients, type AwsClients } from "../servers/aws";
import { type Eks, startEks } from "../servers/eks";
import { startMoto, type Emulator } from "../servers/emulator";
import { startFunction } from "../servers/functions";
import { installed } from "../servers/installed";

export interface Said {
  readonly text: string;
  readonly status: number | null;
}

/** One API server and one emulator for all situations, and a person's shell. */
export interface World {
  readonly apiServer: ApiServer;
  readonly aws: AwsClients;
  readonly emulator: Emulator;
  readonly eks: Eks;
  readonly table: string;
  readonly folder: string;
  /** As a person in that folder types it; `env` comes from how their shell is set up. */
  readonly type: (script: string, env?: Readonly<Record<string, string>>) => Promise<Said>;
  /** The same, and it must succeed. */
  readonly typed: (script: string, env?: Readonly<Record<string, string>>) => Promise<string>;
  /** A file for the person. @returns its path */
  readonly file: (name: string, content: string) => string;
  readonly tick: () => Promise<void>;
  /** The current slot of all of the cluster's HPAs. */
  readonly slot: (cluster: string) => Promise<void>;
  /** The slots that have begun since the last one of each of these clusters, as the tick sends them. */
  readonly dueSlots: (clusters: readonly string[]) => Promise<void>;
  /** These HPAs once more, as after a change of their entries. */
  readonly wake: (hpas: {
    readonly cluster: string;
    readonly namespace: string;
    readonly names: readonly string[];
  }) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A context of another cluster is the current one: what acts on the right cluster has to say so. */
function kubeconfigText({ endpoint, certificateAuthorityData, adminToken }: ApiServer): string {
  const server = { server: endpoint, "certificate-authority-data": certificateAuthorityData };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "elsewhere",
    clusters: [
      { name: "elsewhere", cluster: { server: "https://127.0.0.1:1" } },
      { name: "e2e", cluster: server },
    ],
    users: [{ name: "admin", user: { token: adminToken } }],
    contexts: [
      { name: "elsewhere", context: { cluster: "elsewhere", user: "admin" } },
      { name: "admin of e2e", context: { cluster: "e2e", user: "admin" } },
    ],
  });
}

export async function openWorld(): Promise<World> {
  const ending: (() => unknown)[] = [];
  const close = async () => {
    for (const end of ending.reverse()) await end();
  };
  try {
    const folder = mkdtempSync(join(tmpdir(), "ebb-e2e-advice-"));
    ending.push(() => rmSync(folder, { recursive: true, force: true }));
    const emulator = await startMoto();
    ending.push(() => emulator.stop());
    const eks = await startEks(emulator.endpoint);
    ending.push(() => eks.stop());
    const apiServer = await startApiServer({ tokenWebhook: eks.tokenWebhook });
    ending.push(() => apiServer.stop());
    const aws = awsClients(emulator);
    ending.push(() => aws.destroy());
    const table = "ebb-advice";
    await createTable(aws, table);
    const queue = await aws.sqs.send(new CreateQueueCommand({ QueueName: "ebb-advice-slots" }));
    const functionsEnv = {
      ...emulator.env,
      TABLE_NAME: table,
      QUEUE_URL: queue.QueueUrl ?? "",
      POWERTOOLS_METRICS_NAMESPACE: "ebb",
      ALLOWED_HOSTS: "127.0.0.1",
      AWS_ENDPOINT_URL_EKS: eks.endpoint,
    };
    const functions = { tick: startFunction("tick", functionsEnv), sync: startFunction("sync", functionsEnv) };
    ending.push(
      () => functions.tick.stop(),
      () => functions.sync.stop(),
    );

    const file = (name: string, content: string) => {
      const path = join(folder, name);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    };
    const built = buildCommand();
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "ebb"), `#!/bin/sh\nexec ${process.execPath} ${built.command} "$@"\n`);
    // The AWS CLI 1 forgets AWS_ENDPOINT_URL for SQS alone: its customization of the endpoint knows only the option.
    const sqs = `[ "$1" = sqs ] && set -- "$@" --endpoint-url ${emulator.endpoint}`;
    writeFileSync(join(bin, "aws"), `#!/bin/sh\n${sqs}\nexec ${installed().aws} "$@"\n`);
    for (const name of ["ebb", "aws"]) chmodSync(join(bin, name), 0o755);
    const shell = {
      ...emulator.env,
      AWS_ENDPOINT_URL_EKS: eks.endpoint,
      ...built.env,
      HOME: folder,
      AWS_PAGER: "",
      EBB_CONFIG: join(folder, "no-config"),
      KUBECONFIG: file("kubeconfig", kubeconfigText(apiServer)),
      PATH: [bin, dirname(installed().kubectl), "/usr/bin", "/bin"].join(delimiter),
    };
    const type: World["type"] = async (script, env = {}) => {
      const { got, status } = await runScript(script, { cwd: folder, env: { ...shell, ...env }, timeout: 120_000 });
      return { text: got, status };
    };
    const typed: World["typed"] = async (script, env) => {
      const { text, status } = await type(script, env);
      if (status !== 0) throw new Error(`expected 0, got ${status}: ${script}\n${text}`);
      return text;
    };
    const send = async (message: QueueMessage) => {
      const body = encodeQueueMessage(message);
      const answer = await functions.sync.invoke({ Records: [{ messageId: "m", receiptHandle: "r", body }] });
      expect(answer).toEqual({ batchItemFailures: [] });
    };
    const current = () => Math.floor(Date.now() / syncPeriodMs) * syncPeriodMs;
    const last = new Map<string, number>();
    const slot = async (cluster: string) => {
      const at = current();
      last.set(cluster, at);
      await send({ cluster, from: "", slot: at, until: at + syncPeriodMs });
    };
    const dueSlots: World["dueSlots"] = async (clusters) => {
      for (const cluster of clusters) while (last.get(cluster) !== current()) await slot(cluster);
    };
    const wake: World["wake"] = (hpas) => send({ ...hpas, at: Date.now() });
    const tick = async () => {
      await functions.tick.invoke({ time: new Date().toISOString() });
    };
    return {
      ...{ apiServer, aws, eks, emulator, table, folder },
      type,
      typed,
      file,
      tick,
      slot,
      dueSlots,
      wake,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Long, so that no shard becomes late while a situation lasts. */
export const syncPeriodMs = 3_600_000;

/** As the stack makes it. */
export async function createTable({ dynamo }: AwsClients, name: string, { withStream = true } = {}): Promise<void> {
  const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" as const };
  const definition = { ...tableDefinition(name), ...(withStream ? { StreamSpecification } : {}) };
  await dynamo.send(new CreateTableCommand(definition));
  const TimeToLiveSpecification = { Enabled: true, AttributeName: expiresAtAttribute };
  await dynamo.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await dynamo.send(new UpdateContinuousBackupsCommand({ TableName: name, PointInTimeRecoverySpecification }));
}
