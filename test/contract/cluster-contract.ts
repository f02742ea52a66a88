import { type ClusterBench, sharedCluster } from "./cluster/bench";
import { targetEventsContract } from "./cluster/events";
import { clusterFaultsContract } from "./cluster/faults";
import { readingsContract } from "./cluster/readings";
import { workersContract } from "./cluster/workers";
import { scalesContract } from "./cluster/scales";

/** What the sync relies on from a target cluster, whatever is behind the port: in memory, simulated or real. */
export function clusterContract(name: string, setUp: () => Promise<ClusterBench>): void {
  describe(`a cluster: ${name}`, () => {
    const shared = sharedCluster(setUp);

    scalesContract(shared);
    clusterFaultsContract(shared);
    targetEventsContract(shared);
    readingsContract(shared);
    workersContract(shared);
  });
}
