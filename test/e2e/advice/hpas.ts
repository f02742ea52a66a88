import { DeleteQueueCommand, CreateQueueCommand } from "@aws-sdk/client-sqs";
import { customKind } from "../../../local/demo/demo-workloads";
import { serveAggregatedApi } from "../servers/aggregated-api";
import { externalMetricsApi } from "../servers/external-metrics-api";
import { external, grant, type Scene } from "./scene";
import type { Situation } from "./situation";

const explain = ({ ebb, namespace, cluster }: Scene, ...more: readonly string[]) =>
  ebb("explain", "hpa", "web", "-n", namespace, "--cluster", cluster, ...more);

/** The queue that the HPA "web" reads is not there, until it is made again. */
async function loseQueue({ aws, cluster }: Scene): Promise<() => Promise<unknown>> {
  const name = `orders-${cluster.slice(1)}`;
  const { QueueUrl } = await aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
  await aws.sqs.send(new DeleteQueueCommand({ QueueUrl }));
  return () => aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
}

/** Crons: a kind of the situation's own, so that no other situation meets it. */
async function defineKind(scene: Scene, scale: object): Promise<string> {
  const { admin } = scene.apiServer;
  const group = `${scene.cluster}.example.com`;
  const definition = customKind({ group, kind: "Worker" });
  const [version] = definition.spec.versions;
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await admin.create(path, {
    ...definition,
    spec: { ...definition.spec, versions: [{ ...version, subresources: { status: {}, scale } }] },
  });
  scene.after(() => admin.send("DELETE", `${path}/workers.${group}`));
  return group;
}

export const hpaSituations: readonly Situation[] = [
  {
    row: "createTarget",
    async make(scene) {
      await scene.apply(scene.hpaEntry({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "wbe" } }));
      return {
        printing: [scene.ebb("doctor", scene.cluster)],
        follow: ([command = ""]) => scene.editTo(command, scene.hpaEntry()).then(() => undefined),
      };
    },
  },
  {
    row: "checkMetric",
    async make(scene) {
      const stop = await serveAggregatedApi(
        scene.apiServer,
        [{ group: "external.metrics.k8s.io", version: "v1beta1" }],
        externalMetricsApi({ depth: () => 5 }),
      );
      scene.after(stop);
      await scene.apply(scene.hpaEntry({ metrics: [external("detph")] }));
      await grant(scene);
      return {
        printing: [scene.ebb("doctor", scene.cluster)],
        async follow([look = "", edit = ""]) {
          expect(await scene.typed(look)).toContain('"depth"');
          await scene.editTo(edit, scene.hpaEntry({ metrics: [external("depth")] }));
          await grant(scene);
        },
      };
    },
  },
  {
    row: "askForScale",
    async make(scene) {
      const { admin } = scene.apiServer;
      const group = await defineKind(scene, {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
      });
      const workers = `/apis/${group}/v1/namespaces/${scene.namespace}/workers`;
      const { eventually } = await import("../servers/eventually");
      await eventually("the kind is served", () => admin.get(workers));
      await admin.create(workers, { apiVersion: `${group}/v1`, kind: "Worker", metadata: { name: "web" }, spec: {} });
      await scene.apply(scene.hpaEntry({ scaleTargetRef: { apiVersion: `${group}/v1`, kind: "Worker", name: "web" } }));
      await grant(scene);
      return {
        printing: [scene.ebb("doctor", scene.cluster)],
        async follow([look = ""]) {
          const { text, status } = await scene.type(look);
          expect([text, status]).toEqual([expect.stringContaining("spec.replicas"), 1]);
          await admin.patch(`${workers}/web`, { spec: { replicas: 1 } });
        },
      };
    },
  },
  {
    row: "separateSelectors",
    async make(scene) {
      const { ebb, namespace, cluster, apiServer } = scene;
      const pod = {
        metadata: { name: "web-1", labels: { app: "web" } },
        spec: { containers: [{ name: "a", image: "a" }] },
      };
      await apiServer.admin.create(`/api/v1/namespaces/${namespace}/pods`, pod);
      await scene.apply(scene.hpaEntry({}, { name: "second" }));
      await grant(scene);
      await scene.again("web", "second");
      // Now each has met the other.
      await scene.again("web", "second");
      return {
        printing: [ebb("doctor", cluster), explain(scene)],
        async follow() {
          await scene.typed(ebb("delete", "hpa", "second", "-n", namespace, "--cluster", cluster));
          await scene.again();
        },
      };
    },
  },
  {
    row: "selectPods",
    async make(scene) {
      const { admin } = scene.apiServer;
      const paths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
      const group = await defineKind(scene, paths);
      const workers = `/apis/${group}/v1/namespaces/${scene.namespace}/workers`;
      const { eventually } = await import("../servers/eventually");
      await eventually("the kind is served", () => admin.get(workers));
      const spec = { replicas: 1 };
      await admin.create(workers, { apiVersion: `${group}/v1`, kind: "Worker", metadata: { name: "web" }, spec });
      await admin.patch(`${workers}/web/status`, { status: { replicas: 1, selector: "app=web" } });
      await scene.apply(scene.hpaEntry({ scaleTargetRef: { apiVersion: `${group}/v1`, kind: "Worker", name: "web" } }));
      await grant(scene);
      // The function discovers a new kind when it looks again.
      await eventually("the function knows the kind", async () => {
        await scene.again();
        expect((await scene.type(explain(scene))).text).toContain("selector");
      });
      return {
        printing: [scene.ebb("doctor", scene.cluster), explain(scene)],
        async follow() {
          const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/workers.${group}`;
          const scale = { ...paths, labelSelectorPath: ".status.selector" };
          const definition = await admin.get<{ spec: { versions: readonly object[] } }>(path);
          const [version] = definition.spec.versions;
          const versions = [{ ...version, subresources: { status: {}, scale } }];
          await admin.patch(path, { spec: { versions } });
          await eventually("the scale has a selector", async () => {
            const found = await admin.get<{ status: { selector?: string } }>(`${workers}/web/scale`);
            expect(found.status.selector).toBe("app=web");
          });
          await scene.again();
        },
      };
    },
  },
  {
    row: "askTheFunctions",
    async make(scene) {
      const restore = await loseQueue(scene);
      await scene.again();
      await restore();
      return {
        printing: [scene.ebb("doctor", scene.cluster)],
        async follow([look = ""]) {
          expect(await scene.typed(look)).toContain("cannot be read");
          // What the functions lacked, they have again.
          await scene.again();
        },
      };
    },
  },
  {
    row: "adopt",
    async make(scene) {
      await scene.apiServer.admin.patch(scene.deployments("web"), { spec: { replicas: 0 } });
      await scene.again();
      return {
        printing: [explain(scene)],
        async follow(commands) {
          for (const command of commands) await scene.typed(command);
          await scene.again();
        },
      };
    },
  },
  {
    row: "wake",
    when: "an HPA is deleted that has scaled to zero",
    async make(scene) {
      const { ebb, namespace, cluster, apiServer } = scene;
      const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
      const annotations = { "ebb.dev/metric-rules": JSON.stringify({ sqs: { confirm: 1 } }) };
      await scene.apply(scene.hpaEntry({ minReplicas: 0, behavior }, { annotations }));
      const replicas = async () => (await apiServer.admin.get<Scaled>(scene.deployments("web"))).spec.replicas;
      await scene.again();
      await scene.again();
      expect(await replicas()).toBe(0);
      return {
        printing: [ebb("delete", "hpa", "web", "-n", namespace, "--cluster", cluster)],
        well: async () => expect(await replicas()).toBe(1),
      };
    },
  },
  {
    row: "resume",
    async make(scene) {
      await scene.typed(scene.ebb("pause", "hpa", "web", "-n", scene.namespace, "--cluster", scene.cluster));
      return { printing: [explain(scene), explain(scene, "-o", "json")] };
    },
  },
  {
    row: "endDryRun",
    async make(scene) {
      const { ebb, namespace, cluster } = scene;
      await scene.typed(ebb("dry-run", "hpa", "web", "on", "-n", namespace, "--cluster", cluster));
      await scene.again();
      return { printing: [explain(scene), explain(scene, "-o", "yaml")] };
    },
  },
  {
    row: "findFault",
    when: "a metric that cannot be read",
    async make(scene) {
      const restore = await loseQueue(scene);
      await scene.again();
      return {
        printing: [explain(scene)],
        async follow([look = ""]) {
          const { text, status } = await scene.type(look);
          expect([text, status]).toEqual([expect.stringContaining("FAIL  reads sqs"), 1]);
          await restore();
          await scene.again();
        },
      };
    },
  },
  {
    row: "findFault",
    when: "a scale that cannot be read",
    async make(scene) {
      await scene.apiServer.admin.send("DELETE", scene.deployments("web"));
      await scene.again();
      return {
        printing: [explain(scene)],
        async follow([look = ""]) {
          const { text, status } = await scene.type(look);
          expect([text, status]).toEqual([expect.stringContaining("its target deployment/web can be read"), 1]);
          await scene.deploy("web");
          await scene.again();
        },
      };
    },
  },
  {
    row: "askDoctor",
    async make(scene) {
      await scene.put({ pk: `CLUSTER#${scene.cluster}x`, sk: "CLUSTER", spec: specOf(scene) });
      await scene.writeSecret({ token: await scene.token() }, `ebb/${scene.cluster}x`);
      await scene.put({ pk: `CLUSTER#${scene.cluster}x`, sk: `HPA#${scene.namespace}/web`, spec: hpaSpecOf(scene) });
      const [there, here] = [`--cluster ${scene.cluster}x`, `--cluster ${scene.cluster}`];
      scene.after(() => scene.typed(`${scene.ebb("delete", "cluster", `${scene.cluster}x`)} --cascade`));
      return {
        printing: [explain(scene).replace(here, there)],
        async follow([look = ""]) {
          const { text, status } = await scene.type(look);
          expect([text, status]).toEqual([expect.stringContaining("its shards are synced in time"), 1]);
          await scene.tick();
          await scene.slot(`${scene.cluster}x`);
        },
      };
    },
  },
  {
    row: "askStatus",
    async make(scene) {
      await scene.changeShard({ slot: 3_600_000, heartbeat: 3_600_000 });
      return {
        printing: [explain(scene)],
        async follow([status = "", doctor = ""]) {
          expect(await scene.typed(status)).toContain("late");
          expect((await scene.type(doctor)).text).toContain("1 of 1 are late");
          await scene.slot(scene.cluster);
        },
      };
    },
  },
];

interface Scaled {
  readonly spec: { readonly replicas: number };
}

const specOf = (scene: Scene) => scene.clusterEntry({ auth: { type: "token", secret: `ebb/${scene.cluster}x` } }).spec;
const hpaSpecOf = (scene: Scene) => scene.hpaEntry().spec;
