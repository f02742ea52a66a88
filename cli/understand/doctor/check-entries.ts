import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { unorderedText } from "../../../lib/model/entry/busy-rule";
import { validateStoredHpa } from "../../../lib/model/entry/validate-hpa-entry";
import { problemText } from "../../../lib/model/check/problem";
import { validateSourceParameters } from "../../../lib/sources/validate-parameters";
import { isHpaKey, nameOf, namespaceOf, shownName } from "../../../lib/model/hpa-key";
import type { ShardContents } from "../../../lib/model/ports/store";
import type { StoredEntry } from "../../../lib/model/ports/entries";
import { misnamed } from "../../../lib/table/items/resource-items";
import { advice } from "../../shell/advice/table";
import { type Finding, fail, ok } from "./finding";

export function checkEntries(
  cluster: string,
  { hpas, sources, brokenStates }: ShardContents,
  namespace: string | undefined,
): { readonly findings: readonly Finding[]; readonly usable: readonly HorizontalPodAutoscaler[] } {
  const findings: Finding[] = [];
  const usable: HorizontalPodAutoscaler[] = [];
  for (const { key, document } of hpas) {
    const inNamespace = namespaceOf(key);
    if (namespace !== undefined && inNamespace !== namespace) continue;
    const { hpa, errors } = validateStoredHpa({ key, document });
    if (hpa === undefined) {
      const todo = isHpaKey(key)
        ? advice.invalidHpa({ cluster, namespace: inNamespace, name: nameOf(key) })
        : advice.replaceHpa({ cluster, namespace: inNamespace, name: shownName(key) });
      findings.push(fail(`HPA ${shownName(key)} is valid`, errors.join("; "), todo));
    } else usable.push(hpa);
    if (Object.hasOwn(brokenStates, key)) {
      const todo = advice.brokenState({ cluster, namespace: inNamespace, name: nameOf(key) });
      findings.push(fail(`the state of HPA ${key} can be read`, brokenStates[key] ?? "", todo));
    }
  }
  for (const source of sources) {
    const why =
      "invalid" in source ? source.invalid : validateSourceParameters(source.value.spec).map(problemText).join("; ");
    if (why === "") continue;
    const isNamed = source.key.trim() !== "" && !/\p{Cc}/u.test(source.key);
    const todo = isNamed
      ? advice.invalidSource({ cluster, name: source.key })
      : advice.replaceSource({ cluster, name: source.key });
    findings.push(fail(`source ${source.key} is valid`, why, todo));
  }
  const count = `${usable.length} ${usable.length === 1 ? "HPA is" : "HPAs are"} valid`;
  const unordered = usable.flatMap((hpa) => unorderedText(hpa) ?? []).map((text) => ok(text));
  return { findings: [...(findings.length === 0 ? [ok(count)] : findings), ...unordered], usable };
}

/** A document with another name than its key's would be applied under that name. */
export function checkNames(entries: readonly StoredEntry[]): readonly Finding[] {
  return entries.flatMap((entry) => {
    const why = misnamed(entry);
    if (why === undefined || entry.ref.kind === "HorizontalPodAutoscaler") return [];
    const { kind, cluster, name } = entry.ref;
    if (kind === "Cluster") return [fail("its document has its name", why, advice.renameCluster({ cluster: name }))];
    return [fail(`the document of source ${name} has its name`, why, advice.renameSource({ cluster, name }))];
  });
}
