import { awsBackend, serveAws } from "./harness/aws-backend";
import { checksOf } from "./rounds/checks";
import { runBench } from "./harness/backend-process";
import { writeReport } from "./harness/report";
import type { Fleet } from "./harness/fleet";
import { type FleetRuns, type Plan, runFleet } from "./rounds/fleet-runs";
import { printChecks, printRuns } from "./rounds/print";

/**
 * ebb's packaged sync function beside the real kube-controller-manager, on the same real API server, the same
 * Deployments and the same metrics, one round after the other. `--full` adds larger fleets, rounds in which everything
 * scales, and upstream's default limits.
 */
const quick: Fleet = { name: "1,000 External", count: 1_000, periodSeconds: 10 };
const pods: Fleet = { name: "500 × 20 pods, CPU", count: 500, pods: 20, periodSeconds: 15 };
/** Ten namespaces for each shard. */
const large: Fleet = { name: "5,000 External", count: 5_000, namespaces: 50, periodSeconds: 60 };

const plans: Readonly<Record<"quick" | "full", readonly Plan[]>> = {
  quick: [{ fleet: quick, runs: 3, scaling: false, byDefault: false, fiveAtOnce: false }],
  full: [
    { fleet: quick, runs: 3, scaling: true, byDefault: true, fiveAtOnce: true },
    { fleet: pods, runs: 3, scaling: false, byDefault: false, fiveAtOnce: true },
    { fleet: large, runs: 1, scaling: true, byDefault: false, fiveAtOnce: true },
  ],
};

async function main(): Promise<void> {
  if (process.platform !== "linux") throw new Error(`CPU time is in /proc: expected linux, got ${process.platform}`);
  const form = process.argv.includes("--full") ? "full" : "quick";
  const fleets: FleetRuns[] = [];
  for (const plan of plans[form]) {
    const measured = await runFleet(plan);
    fleets.push(measured);
    printRuns(measured);
    printChecks(checksOf(measured));
  }
  const checks = fleets.flatMap(checksOf);
  writeReport("rounds", { form, fleets, checks });
  if (checks.some(({ isMet, mustHold }) => mustHold && !isMet)) process.exitCode = 1;
}

runBench(main, { [awsBackend]: () => serveAws() });
