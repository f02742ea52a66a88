import { type AwsBackend, awsBackend, serveAws, startAwsBackend } from "./aws-backend";
import { type EbbOptions, startEbb } from "./ebb";
import type { Backends } from "./backend-process";
import type { Fleet } from "./fleet";
import { type LightCluster, lightCluster, serveLightCluster, startLightCluster } from "./light-cluster";
import type { Side } from "./side";

export const lightBackends: Backends = { [awsBackend]: serveAws, [lightCluster]: serveLightCluster };

/** Gives ebb a fleet on backends that are processes of this bench, and ends them all afterwards. */
export async function onLightBackends<T>(
  fleet: Fleet,
  options: EbbOptions,
  use: (ebb: Side) => Promise<T>,
): Promise<T> {
  const ending: (() => Promise<void>)[] = [];
  const open = async <Opened extends LightCluster | AwsBackend | Side>(opening: Promise<Opened>) => {
    const opened = await opening;
    ending.push(() => opened.stop());
    return opened;
  };
  try {
    const cluster = await open(startLightCluster());
    const aws = await open(startAwsBackend());
    await cluster.setFleet(fleet);
    const ebb = await open(startEbb(cluster.address, { aws, metrics: cluster.metrics }, fleet, options));
    return await use(ebb);
  } finally {
    for (const end of ending.reverse()) await end();
  }
}
