import { quoted } from "../../shell/advice/words";
import type { ImportOptions } from "./import-context";

/**
 * Never uses the reader's current context by accident. For a registered cluster, kubectl refuses a context that does
 * not exist.
 */
export function kubectlFor(
  { kubeconfig, kubeContext }: Pick<ImportOptions, "kubeconfig" | "kubeContext">,
  cluster = "CONTEXT",
): string {
  const file = kubeconfig === undefined ? "" : ` --kubeconfig ${quoted(kubeconfig)}`;
  const context = kubeContext ?? (kubeconfig === undefined ? cluster : undefined);
  return `kubectl${file}${context === undefined ? "" : ` --context ${quoted(context)}`}`;
}
