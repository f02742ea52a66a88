import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { startApiServer, type ApiServer } from "./api-server";
import { awsClients, type AwsClients } from "./aws";
import { type Controller, startControllerManager } from "./controller-manager";
import { startMinistack, type Emulator } from "./emulator";
import { ebbSecret, type EntryTable } from "./entries";
import { eventually } from "./eventually";
import { grantDocumentedRoles } from "./grant";
import { runOsls } from "./osls";
import { deployment, deployments, specReplicas } from "./workloads";

/**
 * Where its functions may reach a cluster although the address is this machine's: ministack speaks plain HTTP to
 * 127.0.0.1 for its functions, whatever they asked for; this is loopback as well.
 */
const clusterHost = "127.0.0.2";
export const allowClusterHost = ["--param", `allowedHosts=${clusterHost}`];

/** What a deployed stack is among: an emulator that runs it, and a cluster with a consumer of a queue. */
export interface Deployable {
  readonly apiServer: ApiServer;
  readonly ministack: Emulator;
  readonly aws: AwsClients;
  specReplicas(): Promise<number | undefined>;
  untilReplicas(expected: number, withinMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param consumer its Deployment's name, with one replica; @param queue the name of its queue */
export async function startDeployable(
  { consumer, queue }: { readonly consumer: string; readonly queue: string },
  controllers: readonly Controller[] = [],
): Promise<Deployable> {
  const ending: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ending.reverse()) await end();
  };
  try {
    const apiServer = await startApiServer({ host: clusterHost });
    ending.push(() => apiServer.stop());
    if (controllers.length > 0) {
      const manager = await startControllerManager(apiServer, { controllers });
      ending.push(() => manager.stop());
    }
    const ministack = await startMinistack();
    ending.push(() => ministack.stop());
    const aws = awsClients(ministack);
    ending.push(() => aws.destroy());
    await apiServer.admin.create(deployments, deployment(consumer, 1));
    await aws.sqs.send(new CreateQueueCommand({ QueueName: queue }));
    const replicas = () => specReplicas(apiServer, `${deployments}/${consumer}`);
    return {
      ...{ apiServer, ministack, aws, stop, specReplicas: replicas },
      untilReplicas: (expected, withinMs) =>
        eventually(
          `${consumer} has ${expected} replicas`,
          async () => expect(await replicas()).toBe(expected),
          withinMs,
        ),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The cluster "e2e" and its secret, of a user with the rights that infra/kubernetes/rbac.yaml documents. */
export const registered = { cluster: "e2e", secret: "ebb/e2e" };

export async function letEbbIn({ apiServer, aws }: Deployable): Promise<void> {
  await grantDocumentedRoles(apiServer);
  await aws.secrets.send(new CreateSecretCommand({ Name: registered.secret, SecretString: ebbSecret(apiServer) }));
}

export function deployStack(
  { ministack }: Deployable,
  stage: string,
  params: Readonly<Record<string, string>> = {},
): Promise<string> {
  const more = Object.entries(params).flatMap(([name, value]) => ["--param", `${name}=${value}`]);
  return runOsls(ministack, ["deploy", "--stage", stage, ...allowClusterHost, ...more]);
}

export function entriesOf({ aws }: Deployable, stage: string): EntryTable {
  return { dynamo: aws.dynamo, table: `ebb-${stage}`, cluster: registered.cluster };
}
