import { validateHpa } from "../../lib/api/validate-hpa";
import type { EntryRef } from "../../lib/table/entry-item";
import type { Session } from "../session";

/** What to know before an HPA goes whose workload it has scaled to zero: nobody will wake that any more. */
export async function zeroWarning(
  { store, signal }: Pick<Session, "store" | "signal">,
  { cluster, namespace = "", name }: EntryRef,
): Promise<string | undefined> {
  const key = `${namespace}/${name}`;
  const { hpas, states } = await store.load({ cluster, from: key, to: `${key}\u0000` }, signal);
  const conditions = states[key]?.status.conditions ?? [];
  const { hpa } = validateHpa(hpas[0]?.document, { assumeKind: true });
  if (hpa === undefined || !conditions.some(({ type, status }) => type === "ScaledToZero" && status === "True"))
    return undefined;
  const target = `${hpa.spec.scaleTargetRef.kind.toLowerCase()}/${hpa.spec.scaleTargetRef.name}`;
  return `${target} stands at zero and will stay there; wake it with: kubectl scale ${target} -n ${namespace} --replicas=1`;
}
