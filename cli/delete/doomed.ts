import type { EntryKind } from "../../lib/api/kinds";
import type { EntryRef } from "../../lib/table/entry-item";
import { failure } from "../failure";
import { find, type Finding } from "../resources/find";
import { parseTargets, type Target } from "../resources/parse-targets";
import type { ResourceName } from "../resources/resource";
import type { Session } from "../session";
import type { DeleteOptions } from "./delete-options";

const entryKinds: Readonly<Record<Exclude<ResourceName, "events">, EntryKind>> = {
  clusters: "Cluster",
  hpa: "HorizontalPodAutoscaler",
  sources: "MetricSource",
};

export interface Doomed {
  readonly refs: readonly EntryRef[];
  readonly findings: readonly Finding[];
}

/** What the arguments want deleted. Of several clusters one has to be chosen. @throws Failure */
export async function doomedBy(session: Session, args: readonly string[], options: DeleteOptions): Promise<Doomed> {
  const targets = parseTargets(args, "delete");
  const findings: Finding[] = [];
  const refs: EntryRef[] = [];
  for (const target of targets) {
    const kind = kindOf(target);
    const finding = await find(kind === "Cluster" ? session : await inOneCluster(session), target, options);
    findings.push(finding);
    refs.push(
      ...finding.found.map(({ cluster, namespace, name }) => ({
        kind,
        cluster,
        ...(namespace !== undefined && { namespace }),
        name,
      })),
    );
  }
  return { refs, findings };
}

function kindOf({ resource: { name } }: Target): EntryKind {
  if (name === "events") throw failure("events go by themselves after an hour, or with their HPA", 2);
  return entryKinds[name];
}

async function inOneCluster(session: Session): Promise<Session> {
  return { ...session, settings: { ...session.settings, cluster: await session.cluster() } };
}
