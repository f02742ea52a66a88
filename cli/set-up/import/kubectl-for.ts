import { quoted } from "../../shell/advice/words";
import type { ImportOptions } from "./import-context";

/**
 * kubectl for the cluster that was imported from, never for the reader's current context by accident. ebb does not know
 * what the reader calls a registered cluster: a context that does not exist is refused.
 */
export function kubectlFor(
  { kubeconfig, kubeContext }: Pick<ImportOptions, "kubeconfig" | "kubeContext">,
  cluster = "CONTEXT",
): string {
  const file = kubeconfig === undefined ? "" : ` --kubeconfig ${quoted(kubeconfig)}`;
  const context = kubeContext ?? (kubeconfig === undefined ? cluster : undefined);
  return `kubectl${file}${context === undefined ? "" : ` --context ${quoted(context)}`}`;
}
