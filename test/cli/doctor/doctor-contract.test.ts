import { startSimulatedCluster } from "../../../local/backends/kubernetes/cluster";
import { doctorContract, type GrantedRule } from "../../contract/doctor-contract";

doctorContract("the simulated API server", async () => {
  const rules: GrantedRule[] = [];
  const cluster = await startSimulatedCluster({ controllers: false, users: [{ name: "ebb", rules }] });
  const { endpoint, certificateAuthorityData } = cluster;
  return {
    ...{ endpoint, certificateAuthorityData },
    token: cluster.tokenOf("ebb"),
    grant(granted) {
      rules.splice(0, rules.length, ...granted);
      return Promise.resolve();
    },
    close: () => cluster.close(),
  };
});
