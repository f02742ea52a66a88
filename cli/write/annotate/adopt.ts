import type { Command } from "commander";
import { isTrue } from "../../../lib/core/conditions";
import { currentReplicas } from "../../../lib/core/gate";
import { once } from "../../../lib/async/shared";
import { adoptZeroAnnotation, zeroName } from "../../../lib/model/entry/adopt-zero";
import { kinds } from "../../../lib/model/entry/kinds";
import { validateStoredHpa } from "../../../lib/model/entry/validate-hpa-entry";
import { isFault } from "../../../lib/model/fault";
import { keyNamed } from "../../../lib/model/hpa-key";
import type { Cluster } from "../../../lib/model/ports/cluster";
import type { StoredEntry } from "../../../lib/model/ports/entries";
import { clusterIn } from "../../../lib/table/items/resource-items";
import type { NextEntry } from "../../../lib/table/next-entry";
import { connectionsFrom, type LocalConnections } from "../../shell/connect/connections";
import { failure, type Failure } from "../../shell/failure";
import { kubectlTarget } from "../../shell/input/parse-targets";
import type { Session } from "../../shell/session";
import { tableVerb } from "../../shell/table-verb";
import type { CliEnvironment } from "../../shell/environment";
import { hpaQueriesOf } from "../documents/query-files";
import { addReportOptions, openReport, type ReportOptions } from "../report";
import { openWrites } from "../write-each";
import { changeEach, withMetadata } from "./change-metadata";
import { addChoiceOptions, type ChoiceOptions } from "./choose-entries";

export function adoptCommand(environment: CliEnvironment): Command {
  return tableVerb<ChoiceOptions & ReportOptions>(environment, {
    name: "adopt",
    summary: "Let ebb wake workloads that something else scaled to zero.",
    description:
      "Make a zero ebb's own (KEDA's, a manifest's, one of a restore), so that metrics wake the workload. Refused while " +
      "it has replicas. A later zero that ebb does not make is not ebb's.",
    arguments: [["[hpa...]", "hpa NAME…, or hpa/NAME…"]],
    options: (command) => addReportOptions(addChoiceOptions(command)),
    examples: [
      ["A workload that KEDA left at zero", "ebb adopt hpa orders"],
      ["Two, after a restore", "ebb adopt hpa web worker -n shop"],
    ],
    async run(session, { options, ...line }) {
      const connections = await connectionsFrom(session.settings, session.now);
      try {
        const queries = await hpaQueriesOf(session, { ...line, options });
        const change = adopting(session, connections);
        const said = (isChanged: boolean) => (isChanged ? "adopts its zero" : "has adopted its zero already");
        const writes = openWrites(session, await openReport(session.out, options));
        await changeEach(session, { queries, options, doing: "adopting", change, said }, writes);
        return await writes.end();
      } finally {
        connections.close();
      }
    },
  });
}

function adopting(session: Session, { clusters }: Pick<LocalConnections, "clusters">) {
  const { entries, store, signal } = session;
  const connected = once<Cluster>();
  const connect = async (cluster: string) => {
    const stored = await entries.get({ kind: "Cluster", cluster, name: cluster }, signal);
    const entry = stored && clusterIn(stored);
    if (entry === undefined || "invalid" in entry)
      throw failure(`its entry cannot be used: ${entry?.invalid ?? "none"}`);
    return await clusters.connect(entry.value, signal);
  };
  return async (stored: StoredEntry): Promise<NextEntry> => {
    const { cluster, namespace = "default", name } = stored.ref;
    const refuse = (why: string): Failure => failure(`${kinds.HorizontalPodAutoscaler.plural} "${name}": ${why}`);
    const key = keyNamed(namespace, name);
    const { hpa, errors } = validateStoredHpa({ key, document: stored.document });
    if (hpa === undefined) throw refuse(`its entry is invalid: ${errors.join("; ")}`);
    const target = kubectlTarget(hpa);
    const [scale, states] = await Promise.all([
      connected(cluster, () => connect(cluster))
        .then((one) => one.getScale({ ...hpa.spec.scaleTargetRef, namespace }, signal))
        .catch((error: unknown) => {
          throw isFault(error)
            ? refuse(`the scale of ${target} in cluster ${cluster} cannot be read: ${error.message}`)
            : error;
        }),
      store.load({ cluster, from: key, to: `${key}\0` }, signal),
    ]);
    const size = currentReplicas(scale);
    if (size > 0)
      throw refuse(`expected ${target} at zero, got ${size} ${size === 1 ? "replica" : "replicas"}: nothing to adopt`);
    const zero = zeroName(scale);
    if (zero === undefined)
      throw refuse(`the scale of ${target} has no uid and resourceVersion, so its zero has no name`);
    const isOurs = isTrue(states.states[key]?.status.conditions, "ScaledToZero");
    return isOurs
      ? { change: "unchanged", document: stored.document }
      : withMetadata(stored, { annotations: { [adoptZeroAnnotation]: zero } });
  };
}
