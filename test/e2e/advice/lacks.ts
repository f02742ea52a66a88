import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { stored } from "../../../local/directory";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { eventually } from "../servers/eventually";
import { external, type Scene } from "./scene";
import type { Situation } from "./situation";

/** What this machine, or the person's credentials, lack to know how a cluster is. */
const doctor = ({ ebb, cluster }: Scene) => ebb("doctor", cluster);

/** A shell whose environment the person changes: the file is read before the command. */
function inShell(scene: Scene, before: string) {
  const name = `shell-${scene.cluster}.sh`;
  scene.file(name, before);
  return {
    line: (command: string) => `. ${scene.folder}/${name}; ${command}`,
    become: (now: string) => void scene.file(name, now),
  };
}

/** The scene's entries in a table of this machine, which needs no AWS. */
async function localTable(scene: Scene, hpa: object = scene.hpaEntry(), ...more: readonly object[]): Promise<string> {
  const directory = join(scene.folder, `local-${scene.cluster}`);
  await (await openEmbeddedTable({ directory: join(directory, stored.table) })).close();
  const entries = [scene.clusterEntry(), hpa, ...more].map((one) => JSON.stringify(one)).join("\n---\n");
  const path = scene.file(`local-${scene.cluster}.yaml`, entries);
  await scene.typed(`ebb apply -f ${path} --directory ${directory} --cluster ${scene.cluster}`);
  return directory;
}

/** The emulator, behind a door that refuses one action to the access key "weak". */
async function refusing(scene: Scene, action: string): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method = "GET", url = "/", headers } = request;
      const body = await buffer(request);
      const isRefused =
        headers["x-amz-target"]?.toString().endsWith(action) && headers.authorization?.includes("weak/");
      if (isRefused === true) {
        response.writeHead(400, {
          "content-type": "application/x-amz-json-1.1",
          "x-amzn-errortype": "AccessDeniedException",
        });
        response.end(
          JSON.stringify({ __type: "AccessDeniedException", message: `not authorized to perform: ${action}` }),
        );
        return;
      }
      const sent = Object.fromEntries(
        Object.entries(headers).filter(
          ([name]) => name.startsWith("x-amz") || name === "authorization" || name === "content-type",
        ),
      );
      const answer = await fetch(`${scene.emulator.endpoint}${url}`, {
        method,
        headers: sent as Record<string, string>,
        body: new Uint8Array(body),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  scene.after(() => Promise.resolve(server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const readsQueue = /ok {4}reads sqs\(queue=orders-\d+\): 0/;

export const lackSituations: readonly Situation[] = [
  {
    row: "chooseCredentials",
    async make(scene) {
      const directory = await localTable(scene);
      const shell = inShell(scene, "unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY");
      const here = shell.line(`ebb doctor ${scene.cluster} --directory ${directory}`);
      return {
        printing: [here],
        async follow([whose = "", status = ""]) {
          shell.become("true");
          expect(await scene.typed(whose)).toContain("Arn");
          expect(await scene.typed(status)).toContain(scene.cluster);
        },
        well: async () => expect((await scene.type(here)).text).toMatch(readsQueue),
      };
    },
  },
  {
    row: "chooseRegion",
    async make(scene) {
      const directory = await localTable(scene);
      const shell = inShell(scene, "unset AWS_REGION AWS_DEFAULT_REGION");
      const here = shell.line(`ebb doctor ${scene.cluster} --directory ${directory}`);
      return {
        printing: [here],
        async follow([status = ""]) {
          expect(await scene.typed(status)).toContain(scene.cluster);
          shell.become("export AWS_REGION=eu-central-1");
        },
        well: async () => expect((await scene.type(here)).text).toMatch(readsQueue),
      };
    },
  },
  {
    row: "chooseRights",
    async make(scene) {
      const door = await refusing(scene, "GetSecretValue");
      const key = (id: string) => `export AWS_ENDPOINT_URL_SECRETS_MANAGER=${door} AWS_ACCESS_KEY_ID=${id}`;
      const shell = inShell(scene, key("weak"));
      return {
        printing: [shell.line(doctor(scene))],
        async follow([status = ""]) {
          expect(await scene.typed(status)).toContain(scene.cluster);
          shell.become(key("strong"));
        },
      };
    },
  },
  {
    row: "describeTable",
    async make(scene) {
      const door = await refusing(scene, "DescribeTimeToLive");
      const key = (id: string) => `export AWS_ENDPOINT_URL_DYNAMODB=${door} AWS_ACCESS_KEY_ID=${id}`;
      const shell = inShell(scene, key("weak"));
      return {
        printing: [shell.line(doctor(scene))],
        follow: () => Promise.resolve(shell.become(key("strong"))),
      };
    },
  },
  {
    row: "reachAws",
    async make(scene) {
      const shell = inShell(scene, "export AWS_ENDPOINT_URL_SECRETS_MANAGER=http://127.0.0.1:1");
      return Promise.resolve({
        printing: [shell.line(doctor(scene))],
        async follow([again = "", status = ""]) {
          shell.become("true");
          expect(await scene.typed(shell.line(again))).toContain("All is well.");
          await scene.typed(status);
        },
      });
    },
  },
  {
    row: "setVariable",
    async make(scene) {
      const server = createServer((_request, response) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ depth: 3 }));
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      scene.after(() => Promise.resolve(server.close()));
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const source = scene.sourceEntry("jobs", "http", {
        url: `${endpoint}/queues`,
        path: "$.depth",
        secret: "env:EBB_SECRET_JOBS",
      });
      const hpa = scene.hpaEntry({ metrics: [external("jobs")] });
      const directory = await localTable(scene, hpa, source);
      const shell = inShell(scene, "unset EBB_SECRET_JOBS");
      const here = shell.line(`ebb doctor ${scene.cluster} --directory ${directory}`);
      return {
        printing: [here],
        async follow([again = ""]) {
          const secret = JSON.stringify({ cluster: scene.cluster, endpoint, token: "t" });
          shell.become(`export EBB_SECRET_JOBS='${secret}'`);
          expect((await scene.type(shell.line(again))).text).toMatch(/ok {4}reads jobs\(.*: 3/);
        },
        well: async () => expect((await scene.type(here)).text).toMatch(/ok {4}reads jobs\(.*: 3/),
      };
    },
  },
  {
    row: "nameKubeconfig",
    async make(scene) {
      const path = await ownKubeconfig(scene, { token: await scene.token() });
      const shell = inShell(scene, "true");
      const here = shell.line(doctor(scene));
      return {
        printing: [here],
        async follow([name = "", again = ""]) {
          expect(name).toContain(path);
          shell.become(name);
          expect(await scene.typed(shell.line(again))).toContain("All is well.");
        },
        well: async () => expect(await scene.typed(here)).toContain("All is well."),
      };
    },
  },
  {
    row: "askKubectl",
    async make(scene) {
      const plugin = scene.file(`plugin-${scene.cluster}`, "#!/bin/sh\necho no browser here >&2; exit 7\n");
      await scene.typed(`chmod 700 ${plugin}`);
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command: plugin, interactiveMode: "Never" };
      const path = await ownKubeconfig(scene, { exec });
      const here = `KUBECONFIG="$KUBECONFIG:${path}" ${doctor(scene)}`;
      return {
        printing: [here],
        async follow([look = ""]) {
          const { text, status } = await scene.type(look);
          expect([text, status]).toEqual([expect.stringContaining("no browser here"), 1]);
          const credential = {
            apiVersion: exec.apiVersion,
            kind: "ExecCredential",
            status: { token: await scene.token() },
          };
          scene.file(`plugin-${scene.cluster}`, `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
          await scene.typed(`chmod 700 ${plugin}`);
        },
        well: async () => expect(await scene.typed(here)).toContain("All is well."),
      };
    },
  },
  {
    row: "bindDiscovery",
    async make(scene) {
      const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:discovery";
      await scene.apiServer.admin.send("DELETE", path);
      await eventually("the right is gone", async () => {
        expect((await scene.type(doctor(scene))).text).toContain("cannot get path");
      });
      return { printing: [doctor(scene)] };
    },
  },
  {
    row: "createSecret",
    async make(scene) {
      const secret = `ebb/${scene.cluster}/none`;
      await scene.apply(scene.clusterEntry({ auth: { type: "token", secret } }));
      return {
        printing: [doctor(scene)],
        async follow([create = ""]) {
          scene.file("secret.json", secretText(scene, { token: await scene.token() }));
          await scene.typed(create);
        },
      };
    },
  },
  {
    row: "writeSecret",
    async make(scene) {
      const { PutSecretValueCommand } = await import("@aws-sdk/client-secrets-manager");
      const SecretString = await scene.token();
      await scene.aws.secrets.send(new PutSecretValueCommand({ SecretId: `ebb/${scene.cluster}`, SecretString }));
      return {
        printing: [doctor(scene)],
        async follow([store = ""]) {
          scene.file("secret.json", secretText(scene, { token: await scene.token() }));
          await scene.typed(store);
        },
      };
    },
  },
  {
    row: "findEks",
    async make(scene) {
      scene.eks.register(scene.cluster, scene.apiServer);
      const auth = (clusterName: string) => ({ type: "eks", clusterName, region: scene.emulator.region });
      await scene.apply(scene.clusterEntry({ auth: auth("typo") }));
      return {
        printing: [doctor(scene)],
        async follow([list = "", edit = ""]) {
          expect(await scene.typed(list)).toContain(scene.cluster);
          await scene.editTo(edit, scene.clusterEntry({ auth: auth(scene.cluster) }));
        },
        well: async () => expect((await scene.type(doctor(scene))).text).not.toContain("EKS cluster typo"),
      };
    },
  },
  {
    row: "correctEks",
    async make(scene) {
      const other = `odd-${scene.cluster}`;
      scene.eks.register(scene.cluster, scene.apiServer);
      const auth = (clusterName: string) => ({ type: "eks", clusterName, region: scene.emulator.region });
      await scene.apply(scene.clusterEntry({ auth: auth(other) }));
      return {
        printing: [doctor(scene)],
        async follow([edit = ""]) {
          await scene.editTo(edit, scene.clusterEntry({ auth: auth(scene.cluster) }));
        },
        well: async () => expect((await scene.type(doctor(scene))).text).not.toContain("EKS cluster odd"),
      };
    },
  },
  {
    row: "renameCluster",
    async make(scene) {
      const { spec } = scene.clusterEntry();
      await scene.put({ sk: "CLUSTER", metadata: { name: "another" }, spec });
      return {
        printing: [doctor(scene)],
        follow: ([command = ""]) => scene.editTo(command, scene.clusterEntry()).then(() => undefined),
      };
    },
  },
  {
    row: "renameSource",
    async make(scene) {
      const right = scene.sourceEntry("jobs", "sqs", { queue: "orders-1" });
      await scene.put({ sk: "SOURCE#jobs", metadata: { name: "another" }, spec: right.spec });
      return {
        printing: [doctor(scene)],
        follow: ([command = ""]) => scene.editTo(command, right).then(() => undefined),
      };
    },
  },
  {
    row: "replaceHpa",
    async make(scene) {
      const { spec } = scene.hpaEntry();
      await scene.put({ sk: "HPA#web", spec });
      return {
        printing: [doctor(scene)],
        async follow([keep = "", remove = ""]) {
          expect(await scene.typed(keep)).toContain("maxReplicas: 9");
          await scene.typed(remove);
          await scene.apply(scene.hpaEntry());
        },
      };
    },
  },
  {
    row: "adoptOrPause",
    when: "it is adopted",
    async make(scene) {
      await leaveAtZero(scene);
      return {
        printing: [doctor(scene)],
        async follow([adopt = ""]) {
          await scene.typed(adopt);
          await scene.again();
        },
      };
    },
  },
  {
    row: "adoptOrPause",
    when: "it is meant to stay at zero",
    async make(scene) {
      await leaveAtZero(scene);
      return { printing: [doctor(scene)], follow: ([, pause = ""]) => scene.typed(pause).then(() => undefined) };
    },
  },
  {
    row: "wakeThem",
    async make(scene) {
      await leaveAtZero(scene);
      return {
        printing: [scene.ebb("status", "--cluster", scene.cluster)],
        async follow([look = ""]) {
          const { text } = await scene.type(look);
          const [adopt = ""] = /(?<=`)ebb adopt [^`]*/.exec(text.slice(text.indexOf(`${scene.namespace}/web`))) ?? [];
          await scene.typed(adopt);
          await scene.again();
        },
      };
    },
  },
  {
    row: "startDemo",
    async make(scene) {
      const directory = join(scene.folder, `demo-${scene.cluster}`);
      const here = `ebb doctor --directory ${directory}`;
      const start = async (command: string) => {
        await inBackground(scene, command, directory);
        await eventually("the demo runs", async () => {
          expect((await scene.type(here)).text).toContain("its shards are synced in time");
        });
      };
      const stop = async () => {
        await scene.type(`kill -INT $(cat ${directory}.pid)`);
        await eventually("it has ended", async () => {
          expect((await scene.type(here)).text).toContain("the demo is stopped");
        });
      };
      await start(`ebb start --directory ${directory}`);
      await stop();
      return {
        printing: [here, `ebb status --directory ${directory}`],
        async follow([, command = ""]) {
          await start(command);
          scene.after(stop);
        },
        well: async () => expect((await scene.type(here)).text).not.toContain("FAIL  its slots are run"),
      };
    },
  },
  {
    row: "startOwn",
    async make(scene) {
      const directory = join(scene.folder, `own-${scene.cluster}`);
      const kubeconfig = scene.file(
        `own-${scene.cluster}.kubeconfig`,
        kubeconfigText(scene, { token: scene.apiServer.adminToken }),
      );
      const here = `KUBECONFIG=${kubeconfig} ebb doctor own --directory ${directory}`;
      const start = (command: string) => inBackground(scene, command, directory);
      const runs = () =>
        eventually("it syncs", async () => {
          expect((await scene.type(here)).text).toMatch(/ok {4}its shards are synced in time/);
        });
      const stop = async () => {
        await scene.type(`kill -INT $(cat ${directory}.pid)`);
        await eventually(
          "it has ended, and is late",
          async () => {
            expect((await scene.type(here)).text).toContain("ebb start has ended");
          },
          150_000,
        );
      };
      await start(`ebb start --kubeconfig ${kubeconfig} --cluster own --sync-period 3 --directory ${directory}`);
      await runs();
      await stop();
      return {
        printing: [here],
        async follow([command = ""]) {
          await start(command);
          scene.after(() => scene.type(`kill -INT $(cat ${directory}.pid)`));
          await runs();
        },
        well: async () => expect((await scene.type(here)).text).toContain("its shards are synced in time"),
      };
    },
  },
];

/** Resolves once `ebb start` holds the directory: before, another command could hold its table. */
async function inBackground({ type, typed }: Scene, command: string, directory: string): Promise<void> {
  await typed(`nohup ${command} > ${directory}.log 2>&1 & echo $! > ${directory}.pid`);
  await eventually("ebb start runs", async () => {
    expect((await type(`cat ${directory}.log`)).text).toContain("ebb is running");
  });
}

async function leaveAtZero(scene: Scene): Promise<void> {
  await scene.apiServer.admin.patch(scene.deployments("web"), { spec: { replicas: 0 } });
  await scene.again();
}

function secretText({ apiServer }: Scene, credential: object): string {
  const { endpoint, certificateAuthorityData } = apiServer;
  return JSON.stringify({ endpoint, certificateAuthorityData, ...credential });
}

function kubeconfigText({ apiServer }: Scene, user: object): string {
  const server = { server: apiServer.endpoint, "certificate-authority-data": apiServer.certificateAuthorityData };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "ebb",
    clusters: [{ name: "own", cluster: server }],
    users: [{ name: "own", user }],
    contexts: [{ name: "ebb", context: { cluster: "own", user: "own" } }],
  });
}

/** The cluster's entry names a kubeconfig with this user, by the context "ebb". @returns its path */
async function ownKubeconfig(scene: Scene, user: object): Promise<string> {
  const path = scene.file(`own-${scene.cluster}.kubeconfig`, kubeconfigText(scene, user));
  const { spec, ...entry } = scene.clusterEntry();
  const options = "options" in spec ? spec.options : {};
  await scene.apply({ ...entry, spec: { auth: { type: "kubeconfig", file: path, context: "ebb" }, options } });
  return path;
}
