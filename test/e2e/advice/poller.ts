import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Statement } from "../../infra/iam";
import { policyOnPage } from "../../infra/policies-of-pages";
import { isAuthorized } from "../../infra/resource-policies";
import { stackRoles } from "../../infra/stack-roles";
import { eventually } from "../servers/eventually";
import { startFunction } from "../servers/functions";
import { grant, type Scene } from "./scene";
import type { Situation } from "./situation";

const account = "123456789012";
const source = "recorders";

/** The HPA is at zero, by a source within the cluster: that of the recorders, and there are none. */
async function goToZero(scene: Scene): Promise<void> {
  const { namespace } = scene;
  const target = { type: "AverageValue", averageValue: "3" };
  const spec = {
    minReplicas: 0,
    metrics: [{ type: "External", external: { metric: { name: source }, target } }],
    behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
  };
  await scene.apply(
    scene.sourceEntry(source, "workload", { namespace, podSelector: "app=recorder" }),
    scene.hpaEntry(spec, { annotations: { "ebb.dev/wake": "fast" } }),
  );
  await grant(scene);
  // The API server's authorizer sees the Role a moment later.
  await eventually("a wake leaves it at zero", async () => {
    await scene.again();
    const said = await scene.typed(scene.ebb("get", "hpa", "web", "-n", namespace, "-o", "json"));
    expect(said).toMatch(/"ScaledToZero"/);
  });
  await scene.nextSlot();
  // The slot came again after the wake, which leaves the HPA to the next one.
  await scene.changeShard({ behind: {} });
}

interface Watcher {
  readonly role: string;
  /** One invocation. Nothing wakes the HPA, so it lasts as long as it may. */
  readonly watch: () => Promise<void>;
}

/** The zero-scale poller under a role of its own, as the stack starts it. */
async function startPoller(scene: Scene, env: Readonly<Record<string, string>> = {}): Promise<Watcher> {
  const { aws, cluster, eks, emulator, table, typed } = scene;
  const name = `watch-${cluster}`;
  const trust = scene.file(`${name}.json`, JSON.stringify({ Version: "2012-10-17", Statement: [] }));
  const role = `arn:aws:iam::${account}:role/${name}`;
  await typed(`aws iam create-role --role-name ${name} --assume-role-policy-document file://${trust}`);
  const session = await typed(`aws sts assume-role --role-arn ${role} --role-session-name watch --query Credentials`);
  const { AccessKeyId, SecretAccessKey, SessionToken } = JSON.parse(session) as Readonly<Record<string, string>>;
  const { GetQueueUrlCommand } = await import("@aws-sdk/client-sqs");
  const { QueueUrl = "" } = await aws.sqs.send(new GetQueueUrlCommand({ QueueName: "ebb-advice-slots" }));
  const poller = startFunction(
    "watch",
    {
      ...emulator.env,
      AWS_ENDPOINT_URL_EKS: eks.endpoint,
      AWS_ACCESS_KEY_ID: AccessKeyId ?? "",
      AWS_SECRET_ACCESS_KEY: SecretAccessKey ?? "",
      AWS_SESSION_TOKEN: SessionToken ?? "",
      ...{ TABLE_NAME: table, QUEUE_URL: QueueUrl, ROLE_ARN: role },
      ...{ POWERTOOLS_METRICS_NAMESPACE: "ebb", ALLOWED_HOSTS: "127.0.0.1" },
      ...env,
    },
    { timeoutMs: 12_000 },
  );
  scene.after(() => poller.stop());
  const watch = async () =>
    expect(await poller.invoke({ time: new Date().toISOString() })).toMatchObject({ outcome: "watched", woken: 0 });
  return { role, watch };
}

/** On a busy machine, an invocation may read less often than a report takes. */
async function watchUntilReported(scene: Scene, watch: () => Promise<void>): Promise<void> {
  await eventually(
    "doctor says what the poller cannot read",
    async () => {
      await watch();
      const { text } = await scene.type(scene.ebb("doctor", scene.cluster));
      expect(text).toMatch(/FAIL {2}the zero-scale poller reads /);
    },
    90_000,
  );
}

/** Secrets Manager as it answers a role that may not decrypt with the secret's key. */
async function serveSecrets({ emulator, after }: Scene, mayDecrypt: () => boolean): Promise<string> {
  const server = createServer((request, response) => {
    const answer = async () => {
      const body = await buffer(request);
      const headers = { "content-type": "application/x-amz-json-1.1" };
      if (!mayDecrypt()) {
        const refusal = { __type: "AccessDeniedException", Message: "Access to KMS is not allowed" };
        return response.writeHead(400, headers).end(JSON.stringify(refusal));
      }
      const asked = { ...headers, "x-amz-target": String(request.headers["x-amz-target"]) };
      const authorization = String(request.headers.authorization);
      const { status, text } = await fetch(emulator.endpoint, {
        method: "POST",
        headers: { ...asked, authorization },
        body: new Uint8Array(body),
      }).then(async (got) => ({ status: got.status, text: await got.text() }));
      return response.writeHead(status, headers).end(text);
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Policy {
  readonly Version: string;
  readonly Statement: readonly Statement[];
}

/** The zero-scale poller reads with a role of its own, which somebody has to let in as well. */
export const pollerSituations: readonly Situation[] = [
  {
    row: "letPollerIn",
    async make(scene) {
      const { cluster, apiServer, eks, emulator, typed } = scene;
      eks.register(cluster, apiServer);
      const mine = (await typed("aws sts get-caller-identity --query Arn --output text")).trim();
      await typed(
        `aws eks create-access-entry --cluster-name ${cluster} --principal-arn ${mine} --kubernetes-groups ebb`,
      );
      await scene.apply(scene.clusterEntry({ auth: { type: "eks", clusterName: cluster, region: emulator.region } }));
      await goToZero(scene);
      const { watch } = await startPoller(scene);
      await watchUntilReported(scene, watch);
      return {
        printing: [scene.ebb("doctor", cluster)],
        async follow([letIn = ""]) {
          await typed(letIn);
          await watch();
        },
      };
    },
  },
  {
    row: "grantPoller",
    when: "the policy of a secret's key names the role of sync alone",
    async make(scene) {
      const { cluster, typed } = scene;
      const key = (await typed("aws kms create-key --query KeyMetadata.Arn --output text")).trim();
      const roles = { SyncRoleArn: `arn:aws:iam::${account}:role/sync`, WatchRoleArn: "" };
      const { WatchRole = [] } = await stackRoles({ kmsKeyArns: key });

      async function putPolicy(...Statement: readonly Statement[]): Promise<void> {
        const path = scene.file(`${cluster}-key.json`, JSON.stringify({ Version: "2012-10-17", Statement }));
        await typed(`aws kms put-key-policy --key-id ${key} --policy-name default --policy file://${path}`);
      }
      /** By the policy that the key has. */
      async function mayDecrypt(): Promise<boolean> {
        const text = await typed(`aws kms get-key-policy --key-id ${key} --policy-name default --query Policy`);
        const { Statement } = JSON.parse(JSON.parse(text) as string) as Policy;
        const context = { "kms:ViaService": "secretsmanager.eu-central-1.amazonaws.com" };
        const call = { action: "kms:Decrypt", resource: key, context };
        return isAuthorized({ arn: role, statements: WatchRole }, call, { of: "key", account, statements: Statement });
      }

      const onPage = (arns: typeof roles) => policyOnPage("docs/deploy.md", "kms:Decrypt", arns);
      await putPolicy({ ...onPage(roles), Principal: { AWS: roles.SyncRoleArn } });
      await goToZero(scene);
      let isGranted = false;
      const secrets = await serveSecrets(scene, () => isGranted);
      const { role, watch } = await startPoller(scene, { AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets });
      isGranted = await mayDecrypt();
      await watchUntilReported(scene, watch);
      return {
        printing: [scene.ebb("doctor", cluster)],
        async follow(commands) {
          expect(commands).toEqual([]);
          const said = (await scene.type(scene.ebb("doctor", cluster))).text;
          // The ARN is taken from the line, as a person does.
          const [, WatchRoleArn = ""] = /Grants to ebb's roles\): (arn:\S+), in the policy/.exec(said) ?? [];
          await putPolicy(onPage({ ...roles, WatchRoleArn }));
          isGranted = await mayDecrypt();
          await watch();
        },
      };
    },
  },
];
