import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { stored } from "../../../local/directory";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { startKafka } from "../servers/kafka";
import { startPostgresql } from "../servers/postgresql";
import { startPrometheus } from "../servers/prometheus";
import { startRabbitmq } from "../servers/rabbitmq";
import { startRedis } from "../servers/redis";
import { external, grant, type Scene, sqs } from "./scene";
import type { Situation } from "./situation";

const doctor = ({ ebb, cluster }: Scene) => ebb("doctor", cluster);

/** What a kind advises of a source "jobs" that cannot be read, in all commands that read it. */
function ofKind(kind: string, make: (scene: Scene) => Promise<Repair>): Situation {
  return {
    row: `source ${kind}`,
    async make(scene) {
      const { parameters, repair } = await make(scene);
      await scene.apply(scene.sourceEntry("jobs", kind, parameters), scene.hpaEntry({ metrics: [external("jobs")] }));
      await grant(scene);
      return {
        printing: [doctor(scene), scene.ebb("read", "jobs", "--cluster", scene.cluster)],
        follow: repair,
      };
    },
  };
}

interface Repair {
  readonly parameters: object;
  /** Types the commands, which show the fault, and does what is to be done. */
  readonly repair: (commands: readonly string[]) => Promise<void>;
}

/** A server is well, and the source asks it for what it does not have, until the person corrects the entry. */
function corrected(
  scene: Scene,
  kind: string,
  { wrong, right }: { readonly wrong: object; readonly right: object },
): Repair {
  return {
    parameters: wrong,
    async repair(commands) {
      expect(commands).toEqual([]);
      await scene.apply(scene.sourceEntry("jobs", kind, right));
    },
  };
}

async function secretFor({ aws, cluster }: Scene, kind: string, content: object): Promise<string> {
  const { CreateSecretCommand } = await import("@aws-sdk/client-secrets-manager");
  const Name = `ebb/${cluster}/${kind}`;
  await aws.secrets.send(new CreateSecretCommand({ Name, SecretString: JSON.stringify(content) }));
  return Name;
}

const minute = 60_000;

export const sourceSituations: readonly Situation[] = [
  {
    row: "knownKinds",
    async make(scene) {
      await scene.apply(
        scene.sourceEntry("jobs", "sqs", { queue: "orders-1" }),
        scene.hpaEntry({ metrics: [external("jobs")] }),
      );
      await scene.put({ sk: "SOURCE#jobs", spec: { kind: "madeup", parameters: {} } });
      return {
        printing: [doctor(scene)],
        async follow([command = ""]) {
          await scene.editTo(command, scene.sourceEntry("jobs", "sqs", { queue: "orders-1" }));
        },
      };
    },
  },
  {
    row: "fixParameters",
    when: "of a metric",
    async make(scene) {
      const { spec } = scene.hpaEntry({ metrics: [sqs("orders-1", { reggion: "eu-central-1" })] });
      await scene.put({ sk: `HPA#${scene.namespace}/web`, spec });
      return {
        printing: [doctor(scene)],
        follow: ([command = ""]) => scene.editTo(command, scene.hpaEntry()).then(() => undefined),
      };
    },
  },
  {
    row: "fixParameters",
    when: "of a source",
    async make(scene) {
      const { ebb, cluster } = scene;
      await scene.apply(
        scene.sourceEntry("jobs", "sqs", { queue: "orders-1" }),
        scene.hpaEntry({ metrics: [external("jobs")] }),
      );
      await scene.put({ sk: "SOURCE#jobs", spec: { kind: "sqs", parameters: { queu: "orders-1" } } });
      return {
        printing: [doctor(scene)],
        async follow(commands) {
          expect(commands).toHaveLength(2);
          const edit = commands.find((command) => command.includes("edit source")) ?? "";
          await scene.editTo(edit, scene.sourceEntry("jobs", "sqs", { queue: "orders-1" }));
          expect(await scene.typed(ebb("read", "jobs", "--cluster", cluster))).toContain("kind sqs");
        },
      };
    },
  },
  {
    row: "nameRegion",
    async make(scene) {
      const { cluster, folder, file, typed } = scene;
      const directory = join(folder, `local-${cluster}`);
      await (await openEmbeddedTable({ directory: join(directory, stored.table) })).close();
      const entries = [scene.clusterEntry(), scene.hpaEntry()].map((one) => JSON.stringify(one)).join("\n---\n");
      await typed(`ebb apply -f ${file("local.yaml", entries)} --directory ${directory} --cluster ${cluster}`);
      file("region.sh", "unset AWS_REGION AWS_DEFAULT_REGION");
      const queue = `orders-${cluster.slice(1)}`;
      const here = `. ${folder}/region.sh; ebb read sqs queue=${queue} --cluster ${cluster} --directory ${directory}`;
      return {
        printing: [here],
        follow: () => Promise.resolve(void file("region.sh", "export AWS_REGION=eu-central-1")),
        well: async () => expect(await typed(here)).toContain("kind sqs"),
      };
    },
  },
  {
    row: "source sqs",
    async make(scene) {
      const { aws, cluster, typed, type } = scene;
      const queue = `late-${cluster}`;
      await scene.apply(scene.hpaEntry({ metrics: [sqs(queue)] }));
      return {
        printing: [doctor(scene), scene.ebb("read", "sqs", `queue=${queue}`, "--cluster", cluster)],
        async follow([look = "", ...others]) {
          expect([(await type(look)).status, others]).not.toEqual([0, []]);
          await aws.sqs.send(new CreateQueueCommand({ QueueName: queue }));
          expect(await typed(look)).toContain(queue);
        },
      };
    },
  },
  ofKind("cloudwatch", ({ typed }) =>
    Promise.resolve({
      parameters: { namespace: "Shop", metricName: "depth" },
      async repair([look = ""]) {
        expect(await typed(look)).not.toContain("depth");
        for (let back = 0; back < 8; back += 1) {
          const at = new Date(Date.now() - back * minute).toISOString();
          const data = `MetricName=depth,Value=3,Timestamp=${at}`;
          await typed(`aws cloudwatch put-metric-data --namespace Shop --metric-data ${data}`);
        }
        expect(await typed(look)).toContain("depth");
      },
    }),
  ),
  ofKind("formula", ({ aws, cluster, typed, type }) => {
    const queue = `part-${cluster}`;
    const operands = [{ name: "part", source: "sqs", labels: { queue } }];
    return Promise.resolve({
      parameters: { formula: "part * 2", operands },
      async repair([read = ""]) {
        expect((await type(read)).status).toBe(1);
        await aws.sqs.send(new CreateQueueCommand({ QueueName: queue }));
        expect(await typed(read)).toContain("kind sqs");
      },
    });
  }),
  ofKind("workload", ({ apiServer, namespace, typed, type }) =>
    Promise.resolve({
      parameters: {
        apiVersion: "batch/v1",
        resource: "jobs",
        namespace,
        name: "backfill",
        field: "$.spec.parallelism",
      },
      async repair([look = ""]) {
        expect((await type(look)).text).toContain("NotFound");
        const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } };
        await apiServer.admin.create(`/apis/batch/v1/namespaces/${namespace}/jobs`, {
          metadata: { name: "backfill" },
          spec: { parallelism: 3, template },
        });
        expect(await typed(look)).toContain("parallelism: 3");
      },
    }),
  ),
  ofKind("http", async (scene) => {
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ depth: 3 }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    scene.after(() => Promise.resolve(server.close()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/queues`;
    return corrected(scene, "http", { wrong: { url, path: "$.length" }, right: { url, path: "$.depth" } });
  }),
  ofKind("prometheus", async (scene) => {
    const prometheus = await startPrometheus({});
    const { url } = prometheus;
    scene.after(() => prometheus.stop());
    const [wrong, right] = ["sum(jobs_waiting)", "vector(3)"].map((query) => ({ url, query }));
    return corrected(scene, "prometheus", { wrong: wrong ?? {}, right: right ?? {} });
  }),
  ofKind("redis", async (scene) => {
    const redis = await startRedis({ name: "redis", withTls: true });
    scene.after(() => redis.stop());
    await redis.cli("RPUSH", "jobs", "a", "b");
    const { address, certificateAuthorityData } = redis;
    const wrong = { address, certificateAuthorityData, stream: "jobs" };
    const right = { address, certificateAuthorityData, key: "jobs" };
    return corrected(scene, "redis", { wrong, right });
  }),
  ofKind("postgresql", async (scene) => {
    const postgresql = await startPostgresql();
    scene.after(() => postgresql.stop());
    const password = "r3ad3r";
    await postgresql.psql(`CREATE USER ebb PASSWORD '${password}'`);
    await postgresql.psql("CREATE TABLE jobs (id serial)");
    const { address, certificateAuthorityData } = postgresql;
    const credential = { username: "ebb", password };
    const endpoint = `postgresql://${address}`;
    const secret = await secretFor(scene, "postgresql", { endpoint, certificateAuthorityData, ...credential });
    const query = "SELECT count(*) FROM jobs";
    return {
      parameters: { address, database: "postgres", certificateAuthorityData, secret, query },
      async repair() {
        await postgresql.psql("GRANT SELECT ON jobs TO ebb");
      },
    };
  }),
  ofKind("rabbitmq", async (scene) => {
    const rabbitmq = await startRabbitmq();
    scene.after(() => rabbitmq.stop());
    const { url, certificateAuthorityData, user } = rabbitmq;
    const secret = await secretFor(scene, "rabbitmq", { endpoint: url, certificateAuthorityData, ...user });
    await rabbitmq.call("PUT", "/queues/%2F/jobs", { durable: true });
    const [wrong, right] = ["none", "jobs"].map((queue) => ({ url, certificateAuthorityData, secret, queue }));
    return corrected(scene, "rabbitmq", { wrong: wrong ?? {}, right: right ?? {} });
  }),
  ofKind("kafka", async (scene) => {
    const kafka = await startKafka();
    scene.after(() => kafka.stop());
    const { address, certificateAuthorityData, user } = kafka;
    const credential = { certificateAuthorityData, mechanism: "SCRAM-SHA-512", ...user };
    const secret = await secretFor(scene, "kafka", { endpoint: `kafkas://${address}`, ...credential });
    const parameters = { address, certificateAuthorityData, secret, group: "invoices", topics: "orders" };
    return {
      parameters: { ...parameters, allowIdleConsumers: true },
      async repair() {
        await kafka.tool("TopicCommand", ["--create", "--topic", "orders", "--partitions", "3"]);
      },
    };
  }),
];
