import { toV1 } from "../../lib/k8s/codec/encode-v1";
import { clusterAnnotation } from "../../lib/model/annotations";
import type { HorizontalPodAutoscaler, HpaStatus } from "../../lib/k8s/hpa";
import { getRow } from "../../lib/k8s/printing/get-row";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import type { ShardRange } from "../../lib/model/state";
import type { HpaDocument } from "../../lib/table/items/hpa-document";
import type { Session } from "../session";
import type { Found } from "./found";
import { labelsOf } from "./labels-of";
import type { Scope } from "./scope";

type Reading = Pick<Session, "store" | "signal" | "now" | "out">;

/** HPAs with their latest status. One that is no usable HPA is found, too: its row says so. */
export async function findHpas(session: Reading, scope: Scope): Promise<readonly Found[]> {
  const found = await Promise.all(
    rangesOf(scope).map(async (range) => {
      const { hpas, states, brokenStates } = await session.store.load(range, session.signal);
      for (const { key } of hpas)
        if (brokenStates[key] !== undefined) session.out.warn(`the state of ${key}: ${brokenStates[key]}`);
      return hpas.map((entry) =>
        foundHpa(entry, { scope, cluster: range.cluster, status: states[entry.key]?.status, now: session.now() }),
      );
    }),
  );
  return found.flat();
}

/** The parts of the table's key order to read. "0" is the character after "/". */
export function rangesOf({ clusters, namespace, names }: Scope): readonly ShardRange[] {
  return clusters.flatMap((cluster): ShardRange[] => {
    if (namespace === undefined) return [{ cluster, from: "", to: null }];
    if (names === undefined) return [{ cluster, from: `${namespace}/`, to: `${namespace}0` }];
    const keys = [...new Set(names)].map((name) => `${namespace}/${name}`);
    return keys.map((key) => ({ cluster, from: key, to: `${key}\u0000` }));
  });
}

interface Context {
  readonly scope: Scope;
  readonly cluster: string;
  readonly status: HpaStatus | undefined;
  readonly now: number;
}

function foundHpa({ key, document }: HpaDocument, { scope, cluster, status, now }: Context): Found {
  const [namespace = "", ...rest] = key.split("/");
  const { hpa, errors } = validateHpa(document, { assumeKind: true });
  const name = rest.join("/");
  const place = { cluster, namespace, name };
  const own = `${hpa?.metadata.namespace}/${hpa?.metadata.name}`;
  if (hpa === undefined || own !== key) {
    const problem = errors[0] ?? `metadata: expected the name "${key}" as in the sort key, got "${own}"`;
    const row = [name, "<invalid>", problem.length > 100 ? `${problem.slice(0, 100)}…` : problem, "", "", "", ""];
    return { ...place, labels: labelsOf(document), object: document as object, row };
  }
  const served = serve(scope.clusters.length > 1 ? annotated(hpa, cluster) : hpa, status);
  const object = scope.resource.v1 === true ? toV1(served) : served;
  return { ...place, labels: hpa.metadata.labels ?? {}, object, row: getRow(served, now) };
}

/** As the API server would serve it: what it hides from kubectl's users is left out, a status always has these two fields. */
export function serve(hpa: HorizontalPodAutoscaler, status: HpaStatus | undefined): HorizontalPodAutoscaler {
  const { apiVersion, kind, spec } = hpa;
  const { managedFields: _, ...metadata } = hpa.metadata as HorizontalPodAutoscaler["metadata"] & {
    readonly managedFields?: unknown;
  };
  const known = status ?? hpa.status;
  return { apiVersion, kind, metadata, spec, status: { currentMetrics: null, desiredReplicas: 0, ...known } };
}

/** Of several clusters, each object says which is its own, so that what is printed can be applied again. */
function annotated(hpa: HorizontalPodAutoscaler, cluster: string): HorizontalPodAutoscaler {
  const annotations = { ...hpa.metadata.annotations, [clusterAnnotation]: cluster };
  return { ...hpa, metadata: { ...hpa.metadata, annotations } };
}
