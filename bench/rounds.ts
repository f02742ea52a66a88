import { startApiServer } from "../test/e2e/servers/api-server";
import { farEndArgument, serveAws, startAwsFarEnd } from "./rounds/aws-far-end";
import { checksOf } from "./rounds/checks";
import { createHpas, createWorkloads, grantEbb } from "./rounds/cluster";
import { startEbb } from "./rounds/ebb";
import { metric, serveExternalMetrics } from "./rounds/external-metrics";
import { printChecks, printRuns, writeReport } from "./rounds/report";
import { runInTurn } from "./rounds/runs";
import { startUpstream } from "./rounds/upstream";

const lifted = { queriesPerSecond: 100_000, syncs: 50, periodSeconds: 10 };

/**
 * ebb's packaged sync function beside the real kube-controller-manager, on the same real API server, the same
 * Deployments and the same metrics, one round after the other.
 */
async function main(): Promise<void> {
  if (process.platform !== "linux")
    throw new Error(`CPU time is read in /proc: expected linux, got ${process.platform}`);
  const count = 1_000;
  const ending: (() => unknown)[] = [];
  try {
    const apiServer = await startApiServer();
    ending.push(() => apiServer.stop());
    await grantEbb(apiServer);
    const metrics = await serveExternalMetrics(apiServer);
    ending.push(() => metrics.stop());
    const aws = await startAwsFarEnd();
    ending.push(() => aws.stop());
    await createWorkloads(apiServer, count);
    await createHpas(apiServer, { count, metric });
    const ebb = await startEbb(apiServer, aws, count);
    ending.push(() => ebb.stop());
    const runs = await runInTurn(
      { apiServer, ebb, startUpstream: () => startUpstream(apiServer, { metrics, count }, lifted) },
      3,
    );
    const checks = checksOf(runs);
    printRuns("1,000 External", runs);
    printChecks(checks);
    writeReport({ node: process.version, runs, checks });
    if (checks.some(({ isMet, mustHold }) => mustHold && !isMet)) process.exitCode = 1;
  } finally {
    for (const end of ending.reverse()) await end();
  }
}

const run = process.argv[2] === farEndArgument ? serveAws : main;
run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
