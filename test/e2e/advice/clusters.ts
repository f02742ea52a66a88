import { join } from "node:path";
import { kept } from "../../../local/directory";
import { openEmbeddedTable } from "../../../local/table/embedded-table";
import { makeCertificates } from "../../cluster/certificates";
import { type Handler, serveAggregatedApi } from "../servers/aggregated-api";
import { externalMetricsApi } from "../servers/external-metrics-api";
import { external, grant, type Scene } from "./scene";
import type { Situation } from "./situation";

const doctor = ({ ebb, cluster }: Scene) => ebb("doctor", cluster);

const listKinds: Readonly<Record<string, string>> = {
  "metrics.k8s.io": "PodMetricsList",
  "custom.metrics.k8s.io": "MetricValueList",
};

/** Answers for a metrics API, with one value for whatever is asked. */
const metricsApi =
  (group: string, version: string): Handler =>
  (request, response) => {
    response.setHeader("content-type", "application/json");
    const groupVersion = `${group}/${version}`;
    const kind = (request.url ?? "").includes("/namespaces/") ? listKinds[group] : "APIResourceList";
    const time = new Date().toISOString();
    const usage = { metadata: { name: "web-1" }, timestamp: time, window: "30s", containers: [] };
    const value = {
      describedObject: { kind: "Pod", name: "web-1" },
      metric: { name: "requests" },
      timestamp: time,
      value: "1",
    };
    const items = kind === "PodMetricsList" ? [usage] : [value];
    response.end(
      JSON.stringify({
        kind,
        apiVersion: kind === "APIResourceList" ? "v1" : groupVersion,
        groupVersion,
        resources: [],
        items,
      }),
    );
  };

/** A metrics API is missing until its adapter is installed. */
function missingApi(row: string, { group, version, metric }: Missing): Situation {
  return {
    row,
    async make(scene) {
      await scene.apply(scene.hpaEntry({ metrics: [metric] }));
      await grant(scene);
      return {
        printing: [doctor(scene)],
        async follow([list = ""]) {
          expect(await scene.typed(list)).not.toContain(`${version}.${group}`);
          const handler =
            group === "external.metrics.k8s.io" ? externalMetricsApi({ depth: () => 5 }) : metricsApi(group, version);
          scene.after(await serveAggregatedApi(scene.apiServer, [{ group, version }], handler));
          expect(await scene.typed(list)).toContain(`${version}.${group}`);
        },
      };
    },
  };
}

interface Missing {
  readonly group: string;
  readonly version: string;
  readonly metric: object;
}

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
const average = { type: "AverageValue", averageValue: "1" };
const ofObject = (apiVersion: string, kind: string) => ({
  type: "Object",
  object: { describedObject: { apiVersion, kind, name: "o" }, metric: { name: "hits" }, target: average },
});

/** The HPA names something that the cluster does not have, until its entry is edited. */
function edited(row: string, spec: object): Situation {
  return {
    row,
    async make(scene) {
      await scene.apply(scene.hpaEntry(spec));
      return {
        printing: [doctor(scene)],
        follow: ([command = ""]) => scene.editTo(command, scene.hpaEntry()).then(() => undefined),
      };
    },
  };
}

/** The user of a secret may do nothing, until what doctor prints is applied. */
function ungranted(when: string, credentialOf: (scene: Scene) => Promise<Ungranted>): Situation {
  return {
    row: "grantRights",
    when,
    async make(scene) {
      await ungrant(scene);
      const { auth, credential, options } = await credentialOf(scene);
      await scene.writeSecret(credential);
      await scene.apply(scene.clusterEntry({ auth }));
      return {
        printing: [doctor(scene)],
        async follow([command = "", ...others]) {
          expect([command, others]).toEqual([expect.stringContaining(` rbac ${scene.cluster}${options} --table `), []]);
          await scene.typed(command);
        },
      };
    },
  };
}

async function ungrant({ apiServer, namespace }: Scene): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  for (const kind of ["roles", "rolebindings"]) await apiServer.admin.send("DELETE", `${rbac}/${kind}/ebb`);
}

interface Ungranted {
  readonly auth: object;
  readonly credential: object;
  /** Those of ebb rbac. */
  readonly options: string;
}

const byToken = (scene: Scene) => ({ type: "token", secret: `ebb/${scene.cluster}` });
const byCertificate = (scene: Scene) => ({ type: "clientCertificate", secret: `ebb/${scene.cluster}` });

async function certificateOf({ apiServer }: Scene, user: string, group: string) {
  const { cert, key } = await apiServer.clientCertificate(user, group);
  return { certificate: cert, key };
}

const secretText = ({ apiServer }: Scene, credential: object) => {
  const { endpoint, certificateAuthorityData } = apiServer;
  return JSON.stringify({ endpoint, certificateAuthorityData, ...credential });
};

const kubeconfigText = ({ apiServer }: Scene, token: string) => {
  const cluster = { server: apiServer.endpoint, "certificate-authority-data": apiServer.certificateAuthorityData };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "ebb",
    clusters: [{ name: "e2e", cluster }],
    users: [{ name: "ebb", user: { token } }],
    contexts: [{ name: "ebb", context: { cluster: "e2e", user: "ebb" } }],
  });
};

/** The entry of an EKS cluster, whose name is the entry's. */
async function atEks(scene: Scene, more: object): Promise<void> {
  scene.eks.register(scene.cluster, scene.apiServer);
  const auth = { type: "eks", clusterName: scene.cluster, region: scene.emulator.region, ...more };
  await scene.apply(scene.clusterEntry({ auth }));
  // On EKS, ebb is in the group ebb.
  await grant(scene);
}

/** A table on this machine with the entries of the situation, that no `ebb start` runs on. @returns its directory */
async function localTable(scene: Scene): Promise<string> {
  const directory = join(scene.folder, `local-${scene.cluster}`);
  await (await openEmbeddedTable({ directory: join(directory, kept.table) })).close();
  const entries = [scene.clusterEntry(), scene.hpaEntry()].map((one) => JSON.stringify(one)).join("\n---\n");
  const path = scene.file("local.yaml", entries);
  await scene.typed(`ebb apply -f ${path} --directory ${directory} --cluster ${scene.cluster}`);
  return directory;
}

export const clusterSituations: readonly Situation[] = [
  {
    row: "letRoleIn",
    async make(scene) {
      await atEks(scene, { roleArn: `arn:aws:iam::123456789012:role/ebb-${scene.cluster}` });
      return { printing: [doctor(scene)] };
    },
  },
  {
    row: "letFunctionsIn",
    async make(scene) {
      await atEks(scene, {});
      return {
        printing: [doctor(scene)],
        async follow() {
          const mine = (await scene.typed("aws sts get-caller-identity --query Arn --output text")).trim();
          const entry = `--cluster-name ${scene.cluster} --principal-arn ${mine} --kubernetes-groups ebb`;
          await scene.typed(`aws eks create-access-entry ${entry}`);
        },
      };
    },
  },
  {
    row: "joinGroup",
    async make(scene) {
      const roleArn = `arn:aws:iam::123456789012:role/ebb-${scene.cluster}`;
      await atEks(scene, { roleArn });
      // Whoever let the role in named no group; and the Roles are not there either.
      const entry = `--cluster-name ${scene.cluster} --principal-arn ${roleArn}`;
      await scene.typed(`aws eks create-access-entry ${entry}`);
      await ungrant(scene);
      return { printing: [doctor(scene)] };
    },
  },
  {
    row: "writeToken",
    async make(scene) {
      await scene.writeSecret({ token: "expired" });
      return {
        printing: [doctor(scene)],
        async follow([init = "", store = ""]) {
          expect(await scene.typed(init)).toContain("secret.json");
          scene.file("secret.json", secretText(scene, { token: await scene.token() }));
          await scene.typed(store);
        },
      };
    },
  },
  {
    row: "writeCertificate",
    async make(scene) {
      const { client } = await makeCertificates();
      await scene.writeSecret({ certificate: client.cert, key: client.key });
      await scene.apply(scene.clusterEntry({ auth: byCertificate(scene) }));
      return {
        printing: [doctor(scene)],
        async follow([store = ""]) {
          const credential = await certificateOf(scene, "anybody", "ebb");
          scene.file("secret.json", secretText(scene, credential));
          await scene.typed(store);
          await grant(scene);
        },
      };
    },
  },
  {
    row: "writeKubeconfig",
    async make(scene) {
      const secret = `ebb/${scene.cluster}/kubeconfig`;
      const auth = { type: "kubeconfig", secret };
      scene.file("secret.json", kubeconfigText(scene, "expired"));
      await scene.typed(`aws secretsmanager create-secret --name ${secret} --secret-string file://secret.json`);
      const { metadata, apiVersion, kind, spec } = scene.clusterEntry();
      const options = optionsOf(spec);
      await scene.apply({ apiVersion, kind, metadata, spec: { auth, options } });
      return {
        printing: [doctor(scene)],
        async follow([store = ""]) {
          scene.file("secret.json", kubeconfigText(scene, await scene.token()));
          await scene.typed(store);
        },
      };
    },
  },
  {
    row: "renewKubeconfig",
    async make(scene) {
      const path = scene.file(`${scene.cluster}.kubeconfig`, kubeconfigText(scene, "expired"));
      const { metadata, apiVersion, kind, spec } = scene.clusterEntry();
      await scene.apply({
        apiVersion,
        kind,
        metadata,
        spec: { auth: { type: "kubeconfig", file: path }, options: optionsOf(spec) },
      });
      const here = `KUBECONFIG="$KUBECONFIG:${path}" ${doctor(scene)}`;
      return {
        printing: [here],
        async follow(commands) {
          expect(commands).toEqual([]);
          scene.file(`${scene.cluster}.kubeconfig`, kubeconfigText(scene, await scene.token()));
        },
        well: async () => expect(await scene.typed(here)).toContain("All is well."),
      };
    },
  },
  {
    row: "bindBasicUser",
    async make(scene) {
      const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:basic-user";
      await scene.apiServer.admin.send("DELETE", path);
      const { eventually } = await import("../servers/eventually");
      await eventually("the right is gone", async () => {
        expect((await scene.type(doctor(scene))).text).toContain("selfsubjectaccessreviews");
      });
      return { printing: [doctor(scene)] };
    },
  },
  {
    row: "bindDiscovery",
    async make(scene) {
      const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:discovery";
      await scene.apiServer.admin.send("DELETE", path);
      const { eventually } = await import("../servers/eventually");
      await eventually("the right is gone", async () => {
        expect((await scene.type(doctor(scene))).text).toContain("system:discovery");
      });
      return { printing: [doctor(scene)] };
    },
  },
  {
    row: "createSecret",
    async make(scene) {
      await scene.apply(scene.clusterEntry({ auth: { type: "token", secret: `ebb/${scene.cluster}/new` } }));
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
      await scene.writeSecret({});
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
    row: "askElsewhere",
    when: "no credentials of AWS here",
    async make(scene) {
      const { file, folder, cluster } = scene;
      file("credentials.sh", "export AWS_ACCESS_KEY_ID= AWS_SECRET_ACCESS_KEY=");
      const directory = await localTable(scene);
      const here = `. ${folder}/credentials.sh; AWS_EC2_METADATA_DISABLED=true ebb doctor ${cluster} --directory ${directory}`;
      return {
        printing: [here],
        follow: () => Promise.resolve(void file("credentials.sh", "")),
        well: async () => expect((await scene.type(here)).text).toContain("ok    connects to"),
      };
    },
  },
  {
    row: "fixClusterEntry",
    when: "an entry that is not valid",
    async make(scene) {
      const { ebb, cluster, namespace } = scene;
      await scene.put({ sk: "CLUSTER", spec: { auth: { type: "foo" } } });
      return {
        printing: [doctor(scene), ebb("explain", "hpa", "web", "-n", namespace, "--cluster", cluster)],
        follow: ([command = ""]) => scene.editTo(command, scene.clusterEntry()).then(() => undefined),
      };
    },
  },
  {
    row: "fixClusterEntry",
    when: "an entry that cannot connect",
    async make(scene) {
      const { spec } = scene.clusterEntry({ certificateAuthorityData: "bm90IGEgY2VydGlmaWNhdGU=" });
      await scene.put({ sk: "CLUSTER", spec });
      return {
        printing: [doctor(scene)],
        follow: ([command = ""]) => scene.editTo(command, scene.clusterEntry()).then(() => undefined),
      };
    },
  },
  {
    row: "checkEndpoint",
    async make(scene) {
      const endpoint = "https://127.0.0.1:1";
      const SecretString = JSON.stringify({ ...JSON.parse(secretText(scene, { token: "t" })), endpoint });
      const { PutSecretValueCommand } = await import("@aws-sdk/client-secrets-manager");
      await scene.aws.secrets.send(new PutSecretValueCommand({ SecretId: `ebb/${scene.cluster}`, SecretString }));
      await scene.apply(scene.clusterEntry({ endpoint }));
      return {
        printing: [doctor(scene)],
        async follow([look = ""]) {
          expect(await scene.typed(look)).toContain(`endpoint: ${endpoint}`);
          await scene.writeSecret({ token: await scene.token() });
          await scene.apply(scene.clusterEntry());
        },
      };
    },
  },
  {
    row: "setClock",
    async make(scene) {
      const ahead = scene.file("ahead", "60000");
      const code = `const ms = Number(require("fs").readFileSync(${JSON.stringify(ahead)}, "utf8"));
        const now = Date.now.bind(Date);
        Date.now = () => now() + ms;`;
      const hook = scene.file("clock.cjs", code);
      const here = `NODE_OPTIONS=--require=${hook} ${doctor(scene)}`;
      return Promise.resolve({
        printing: [here],
        follow: () => Promise.resolve(void scene.file("ahead", "0")),
      });
    },
  },
  missingApi("installMetricsServer", { group: "metrics.k8s.io", version: "v1beta1", metric: cpu }),
  missingApi("installCustomAdapter", {
    group: "custom.metrics.k8s.io",
    version: "v1beta2",
    metric: { type: "Pods", pods: { metric: { name: "requests" }, target: average } },
  }),
  missingApi("installExternalAdapter", {
    group: "external.metrics.k8s.io",
    version: "v1beta1",
    metric: external("depth"),
  }),
  {
    row: "startAdapter",
    async make(scene) {
      const [group, version] = ["external.metrics.k8s.io", "v1beta1"];
      const answer = externalMetricsApi({ depth: () => 5 });
      let isDown = false;
      const handler: Handler = (request, response) =>
        isDown ? void response.writeHead(503).end("no") : answer(request, response);
      scene.after(await serveAggregatedApi(scene.apiServer, [{ group, version }], handler));
      await scene.apply(scene.hpaEntry({ metrics: [external("depth")] }));
      await grant(scene);
      isDown = true;
      return {
        printing: [doctor(scene)],
        async follow([look = ""]) {
          expect(await scene.typed(look)).toContain("metrics-of-tests");
          isDown = false;
        },
      };
    },
  },
  edited("scaleAnotherKind", { scaleTargetRef: { apiVersion: "apps/v1", kind: "DaemonSet", name: "web" } }),
  edited("installTargetKind", { scaleTargetRef: { apiVersion: "example.com/v1", kind: "Cron", name: "web" } }),
  edited("installObjectKind", { metrics: [ofObject("example.com/v1", "Cron")] }),
  ungranted("a service account", async (scene) => ({
    auth: byToken(scene),
    credential: { token: await scene.token() },
    options: ` --service-account ${scene.namespace}/ebb`,
  })),
  ungranted("a user of the group ebb", (scene) =>
    Promise.resolve({ auth: byToken(scene), credential: { token: scene.apiServer.ebbToken }, options: "" }),
  ),
  ungranted("a user of no group", (scene) =>
    Promise.resolve({
      auth: byToken(scene),
      credential: { token: scene.apiServer.restrictedToken },
      options: " --user restricted",
    }),
  ),
  ungranted("the certificate of a user whose name needs quotes", async (scene) => ({
    auth: byCertificate(scene),
    credential: await certificateOf(scene, "it's ebb; rm -r ~", "team-a"),
    options: String.raw` --user 'it'\''s ebb; rm -r ~'`,
  })),
  {
    row: "allowLists",
    async make(scene) {
      const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
      for (const name of names) await scene.deploy(name);
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment" };
      await scene.apply(
        ...names.map((name) => scene.hpaEntry({ scaleTargetRef: { ...scaleTargetRef, name } }, { name })),
      );
      await grant(scene);
      return { printing: [doctor(scene)] };
    },
  },
];

function optionsOf(spec: object): unknown {
  return "options" in spec ? spec.options : undefined;
}
