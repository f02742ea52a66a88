import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { SourceEntry } from "../../../lib/model/entry/entries";
import { onThisMachine } from "../../../lib/http/address";
import { sourcesOver } from "../../../compose";
import { fixture } from "../../sync/sync-fixture";

/** Five messages for each replica, from zero to ten, down at once. */
const spec: HpaSpec = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" },
  minReplicas: 0,
  maxReplicas: 10,
  metrics: [
    { type: "External", external: { metric: { name: "depth" }, target: { type: "AverageValue", averageValue: "5" } } },
  ],
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
};

/** A Deployment of one replica that ebb's own sync scales by this source, which reads a real server. */
export function consumerOf(source: SourceEntry["spec"]) {
  const { store, sync, replicasNow, failures } = fixture({ spec, replicas: 1 });
  store.sourceEntries.set("prod depth", { key: "depth", value: { name: "depth", spec: source } });
  const noAws = () => {
    throw new Error("this suite asks nothing of AWS");
  };
  const sources = sourcesOver({ sqs: noAws, cloudwatch: noAws }, { now: () => Date.now(), addresses: onThisMachine });
  let slots = 0;
  return {
    /** The replicas after the next slot. */
    async slot(): Promise<number | undefined> {
      await sync((slots += 1), { sources });
      return replicasNow();
    },
    failures: () => failures.map(({ reason, message }) => `${reason}: ${message}`),
  };
}
