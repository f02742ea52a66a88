// `npm run servers`: puts every server that the e2e suite needs into the cache, and writes their paths to
// <cache>/servers.json, which the suite reads. It keeps what is already there: a second run takes under a second.
//
//   EBB_CACHE            the cache; default .cache in this repository. Keep it between CI runs to save the Go build.
//   KUBEBUILDER_ASSETS   a folder with etcd, kube-apiserver and kubectl, used instead of building them.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exit } from "node:process";
import { argoRollouts } from "./servers/argo-rollouts.mjs";
import { cacheFolder } from "./servers/cache.mjs";
import { chromiumBrowser } from "./servers/chromium.mjs";
import { dynamodbServer } from "./servers/dynamodb.mjs";
import { kafkaServer } from "./servers/kafka.mjs";
import { kubernetesServers } from "./servers/kubernetes.mjs";
import { kubernetesClient } from "./servers/kubernetes-client.mjs";
import { postgresqlServer } from "./servers/postgresql.mjs";
import { prometheusServer } from "./servers/prometheus.mjs";
import { prometheusAdapter } from "./servers/prometheus-adapter.mjs";
import { pythonServers } from "./servers/python.mjs";
import { redisServer } from "./servers/redis.mjs";
import { rabbitmqServer } from "./servers/rabbitmq.mjs";
import { scanners } from "./servers/scanners.mjs";
import { shells } from "./servers/shells.mjs";
import { valkeyServer } from "./servers/valkey.mjs";

/** One after the other: each build reuses what an earlier one compiled. */
async function builtByGo() {
  return { ...(await kubernetesServers()), ...(await argoRollouts()), ...(await prometheusAdapter()) };
}

try {
  await mkdir(cacheFolder, { recursive: true });
  // Pip and apt mostly wait for the network, and the Go compiler for the processor.
  const outcomes = await Promise.allSettled(
    [
      builtByGo,
      pythonServers,
      scanners,
      kubernetesClient,
      shells,
      chromiumBrowser,
      prometheusServer,
      rabbitmqServer,
      redisServer,
      valkeyServer,
      postgresqlServer,
      kafkaServer,
      dynamodbServer,
    ].map((serve) => serve()),
  );
  const failed = outcomes.filter((outcome) => outcome.status === "rejected");
  if (failed.length > 0) throw new Error(failed.map((outcome) => outcome.reason.message).join("\n"));
  const servers = Object.assign({}, ...outcomes.map((outcome) => outcome.value));
  const list = join(cacheFolder, "servers.json");
  await writeFile(`${list}.partial`, `${JSON.stringify(servers, null, 2)}\n`);
  await rename(`${list}.partial`, list);
  console.log(`servers: all there, listed in ${list}`);
} catch (error) {
  console.error(`servers: ${error.message}`);
  exit(1);
}
