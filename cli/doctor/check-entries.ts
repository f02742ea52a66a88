import { nameOf, namespaceOf } from "../../lib/model/hpa-key";
import { readOperations } from "../../lib/model/entry/annotations";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { validateHpaEntry } from "../../lib/model/entry/validate-hpa-entry";
import type { ShardContents } from "../../lib/model/ports/store";
import { advice } from "../advice/table";
import { type Finding, fail, ok } from "./finding";

/** Whether every entry of a cluster can be used, and the usable HPAs of the given namespace. */
export function checkEntries(
  cluster: string,
  { hpas, sources, brokenStates }: ShardContents,
  namespace: string | undefined,
): { readonly findings: readonly Finding[]; readonly usable: readonly HorizontalPodAutoscaler[] } {
  const findings: Finding[] = [];
  const usable: HorizontalPodAutoscaler[] = [];
  for (const { key, document } of hpas) {
    const [inNamespace, name] = [namespaceOf(key), nameOf(key)];
    if (namespace !== undefined && inNamespace !== namespace) continue;
    const hpaName = { cluster, namespace: inNamespace, name };
    const { hpa, errors } = validateHpaEntry(document);
    const operations = hpa === undefined ? { errors } : readOperations(hpa.metadata);
    if (hpa === undefined || "errors" in operations) {
      const why = "errors" in operations ? operations.errors.join("; ") : "";
      findings.push(fail(`HPA ${key} is valid`, why, advice.invalidHpa(hpaName)));
    } else usable.push(hpa);
    if (Object.hasOwn(brokenStates, key)) {
      const why = brokenStates[key] ?? "";
      findings.push(fail(`the state of HPA ${key} can be read`, why, advice.brokenState(hpaName)));
    }
  }
  for (const source of sources) {
    if (!("invalid" in source)) continue;
    const todo = advice.invalidSource({ cluster, name: source.key });
    findings.push(fail(`source ${source.key} is valid`, source.invalid, todo));
  }
  const count = `${usable.length} ${usable.length === 1 ? "HPA is" : "HPAs are"} valid`;
  return { findings: findings.length === 0 ? [ok(count)] : findings, usable };
}
