import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { stringify } from "yaml";
import { type ApiServer, startApiServer } from "./api-server";
import { awsClients } from "./aws";
import { startControllerManager } from "./controller-manager";
import { startMoto } from "./emulator";
import { eventually } from "./eventually";
import { deployment, deployments, specReplicas } from "./workloads";

export interface ScaledConsumer {
  untilReplicas(expected: number): Promise<void>;
  /** What `ebb` prints for these arguments, about the table of this consumer. */
  ebb(...args: readonly string[]): string;
  stop(): Promise<void>;
}

export interface GivenConsumer {
  readonly kind: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The labels of the HPA's metric. */
  readonly labels?: Readonly<Record<string, string>>;
  /** How much of the metric one replica takes. */
  readonly perReplica: string;
  /** Secrets of the cluster "prod", by name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Puts what the source needs into the cluster before ebb starts, and returns what stops it. */
  readonly prepare?: (apiServer: ApiServer) => Promise<() => unknown>;
}

const name = "consumer";
const command = "dist/ebb.js";

/**
 * A Deployment of one replica on a real API server. `ebb start` scales it between 0 and 10 by a metric of this source,
 * every three seconds.
 */
export async function startScaledConsumer(given: GivenConsumer): Promise<ScaledConsumer> {
  const ending: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ending.splice(0).reverse()) await end();
  };
  const start = async () => {
    const directory = mkdtempSync(join(tmpdir(), "ebb-e2e-consumer-"));
    ending.push(() => rmSync(directory, { recursive: true }));
    const apiServer = await startApiServer();
    ending.push(() => apiServer.stop());
    if (given.prepare !== undefined) ending.push(await given.prepare(apiServer));
    const moto = await startMoto();
    ending.push(() => moto.stop());
    const controllers = await startControllerManager(apiServer, {
      controllers: ["deployment-controller", "replicaset-controller"],
    });
    ending.push(() => controllers.stop());
    const aws = awsClients(moto);
    ending.push(() => aws.destroy());
    for (const [Name, SecretString] of given.secrets)
      await aws.secrets.send(new CreateSecretCommand({ Name, SecretString }));
    await apiServer.admin.create(deployments, deployment(name, 1));

    const env = { ...process.env, ...moto.env };
    const where = ["--directory", join(directory, "table")];
    const flags = ["--kubeconfig", apiServer.kubeconfig, "--cluster", "prod", "--sync-period", "3", ...where];
    const running = spawn(process.execPath, [command, "start", ...flags], { env });
    const output: string[] = [];
    for (const stream of [running.stdout, running.stderr])
      stream.on("data", (chunk: Buffer) => output.push(chunk.toString()));
    ending.push(async () => {
      running.kill("SIGKILL");
      if (running.exitCode === null && running.signalCode === null) await once(running, "exit");
    });
    const ebb = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args, ...where], {
        env,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`ebb ${args.join(" ")}: ${stderr}`);
      return stdout;
    };
    const file = join(directory, "entries.yaml");
    writeFileSync(file, entriesOf(given));
    await eventually("the entries are in the table", () => ebb("apply", "-f", file, "--cluster", "prod"));
    return {
      ebb,
      untilReplicas: (expected: number) =>
        eventually(`${expected} replicas; so far: ${output.join("")}`, async () => {
          expect(await specReplicas(apiServer, `${deployments}/${name}`)).toBe(expected);
        }),
    };
  };
  try {
    return { ...(await start()), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function entriesOf({ kind, parameters, labels, perReplica }: GivenConsumer): string {
  const source = {
    apiVersion: "ebb.dev/v1",
    kind: "MetricSource",
    metadata: { name: "work" },
    spec: { kind, parameters },
  };
  const selector = labels === undefined ? {} : { selector: { matchLabels: labels } };
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 0,
      maxReplicas: 10,
      metrics: [
        {
          type: "External",
          external: {
            metric: { name: "work", ...selector },
            target: { type: "AverageValue", averageValue: perReplica },
          },
        },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    },
  };
  return [source, hpa].map((document) => stringify(document)).join("---\n");
}
